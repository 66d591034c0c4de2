import type {
  AnonymousReceipt,
  CancelRequest,
  EventPosition,
  IgnoredReason,
  LeftForPerson,
  MemberEffects,
  OwnWord,
  QuarantineReason,
  RefusedNumber,
  RoutedIntent,
} from '#intents/core';
import type { Random, SqlSession } from '#platform';
import { DatabaseError, MasterKeyMissingError, SafeError } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import type { RecordSender } from '../quarantine/record-sender.js';

/** Records in one transaction, at most: 500 is where a bigger batch stops paying (measured). */
export const recordBatchMax = 500;

/** A partition of a topic as the database knows it. */
export interface SourcePartition {
  readonly clusterId: string;
  readonly topic: string;
  /** Rises when the topic was created anew. */
  readonly incarnation: number;
  readonly partition: number;
}

/** The record as it arrived, for the timeline and the quarantine. */
export interface OriginalRecord {
  /** Of the last record, where it is a batch of several. */
  readonly offset: number;
  /** Broker timestamp, epoch ms. */
  readonly brokerAt: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** JSON text of the headers; values as text. */
  readonly headersText: string;
  /** Set: the value is a whole record batch as the broker has it, set aside for its records from this one to `offset`. */
  readonly batch?: { readonly firstOffset: number };
}

/** What routing made of a record, with the texts that carry its identity. */
export type RecordVerdict =
  | {
      readonly kind: 'routed';
      readonly eventType: string;
      /** The event's `source`: the till or shop that sent it. */
      readonly eventSource: string;
      /** Epoch ms: when it happened at the till. */
      readonly occurredAt: number;
      readonly eventKeyText: string;
      readonly eventContentText: string;
      readonly intents: readonly RoutedIntent[];
      readonly cancels: readonly CancelRequest[];
      readonly memberEffects: MemberEffects | null;
      /** Absent: it does nothing by its own word alone. */
      readonly ownWord?: OwnWord;
      /** Absent: all of it takes effect. */
      readonly leftForPerson?: LeftForPerson;
      /** Its `eventKeyText` where a person decides about a half of it, and the other half is known. Absent: it has no halves. */
      readonly decidedKeyText?: string;
      /** What a changed enrolment makes of the pass that exists; null where the program maps no update. */
      readonly enrolmentAsUpdate: RoutedIntent | null;
      /** Orders what changes a member's profile, an update or an enrolment; null for everything else. */
      readonly profilePosition: EventPosition | null;
      /** W3C context that deliveries of its intents go on from. */
      readonly traceparent?: string | null;
    }
  | {
      readonly kind: 'ignored';
      readonly reason: IgnoredReason;
      /** Absent for a tombstone, which has no identity. */
      readonly identity: {
        readonly eventKeyText: string;
        readonly eventContentText: string;
        /** The member that it names; null: none. */
        readonly member: { readonly program: string; readonly memberId: string } | null;
      } | null;
      /** A sale without a card, to be remembered. */
      readonly receipt?: AnonymousReceipt;
    }
  | {
      readonly kind: 'quarantine';
      readonly reason: QuarantineReason;
      readonly detail: string;
      /** Absent: it tells of no sale or refund, or its number cannot be read. */
      readonly number?: RefusedNumber;
      /** Its bytes are not kept: it may be of who is erased. */
      readonly isWithheld?: true;
    };

export interface PreparedRecord {
  readonly original: OriginalRecord;
  readonly verdict: RecordVerdict;
  /** Absent where nothing of it could be read. */
  readonly origin?: RecordSender;
  /** Set: it is one of the events that a map has made of the record. Those of one record share its `original`. */
  readonly event?: MappedEventOf;
  /** Set: it is set aside as a whole for this event, which a map has made of it. JSON text. */
  readonly refusedEvent?: string;
  /** Set: a map reads it, or should have. */
  readonly persons?: PersonsNamed;
}

/** Whom the record of a source may be about, whose shape is not ours. */
export interface PersonsNamed {
  /** For which its source may speak; null: for every one. */
  readonly programs: readonly string[] | null;
  /** Ids and e-mail addresses; asked where it is set aside. Personal; never throws. */
  readonly names: () => readonly string[];
}

/** An event that a map has made of a record, which may hold others. */
export interface MappedEventOf {
  /** From 1. */
  readonly ordinal: number;
  /** How many the record holds. */
  readonly count: number;
  /** JSON text of a structured CloudEvent: what is kept of it in place of the record. */
  readonly text: string;
}

/** Consecutive records of one partition. */
export interface PartitionRecords {
  readonly source: SourcePartition;
  readonly records: readonly PreparedRecord[];
  /** The partition's position before this batch, as its consumer knows it. */
  readonly fromOffset: number;
  /** The partition's position after this batch. */
  readonly nextOffset: number;
}

/** How records are recorded together. */
interface BatchSettings {
  readonly now: number;
  /** 16 bytes that name the programs file which routed the batch. */
  readonly programsHash: Uint8Array;
  /** False: no dead letter is published, so none is queued. Absent: they are. */
  readonly hasDeadLetters?: boolean;
}

export interface BatchToRecord extends PartitionRecords, BatchSettings {}

/** Records of several partitions, none of which comes twice. */
export interface BatchesToRecord extends BatchSettings {
  readonly parts: readonly PartitionRecords[];
}

/** What is the same for all records of one transaction. */
export interface RecordingContext {
  /** Where a record of the transaction lies. */
  readonly sourceOf: (record: OriginalRecord) => Pick<SourcePartition, 'topic' | 'partition'>;
  readonly now: number;
  /** 16 bytes that name the programs file which routed them. */
  readonly programsHash: Uint8Array;
  /** They come from quarantine, by a person's word. */
  readonly isTakenIn?: true;
}

/** Counted by metrics: what became of a record. */
export type RecordResult =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason | 'already-consumed' }
  | { readonly kind: 'quarantined'; readonly reason: QuarantineReason };

/** What became of the records of one partition. */
export interface BatchResult {
  readonly results: readonly RecordResult[];
  readonly intents: number;
  /** The stored offset after the transaction: may lie beyond the batch when another consumer was ahead. */
  readonly nextOffset: number;
  /** All that it has made due is being sent by this process already: nobody need look for it. */
  readonly isUnderWay?: true;
}

/** The keys that ingest needs beside the members'. */
export abstract class IngestKeys {
  abstract readonly members: MemberKeys;
  /** Keys the digests of contents. */
  abstract readonly mac: Uint8Array;
  abstract readonly quarantine: Uint8Array;
  abstract readonly random: Random;
}

/** Another transaction recorded the same member or identity between our lookup and our insert: it must be looked up again. */
export class BatchRaceError extends SafeError {
  override readonly name = 'BatchRaceError';

  constructor(readonly on: 'member' | 'identity' | 'offset') {
    super(`another batch recorded the same ${on} meanwhile`);
  }
}

/**
 * One event of a record that holds several is refused: none of them is recorded, and nothing of what came with them. Recorded
 * again with that record set aside, the others are.
 */
export class PartRefusedError extends SafeError {
  override readonly name = 'PartRefusedError';

  constructor(
    readonly offset: number,
    readonly verdict: Extract<RecordVerdict, { kind: 'quarantine' }>,
  ) {
    super('one event of a record that holds several is refused');
  }
}

/** The same record as a whole, set aside. */
function setAsideWhole(records: readonly PreparedRecord[], refused: PartRefusedError): PreparedRecord[] {
  const isOfIt = ({ original }: PreparedRecord): boolean => original.offset === refused.offset;
  return records.flatMap((record, index) => {
    if (!isOfIt(record)) return [record];
    const { event: _event, ...whole } = record;
    return records.findIndex(isOfIt) === index ? [{ ...whole, verdict: refused.verdict }] : [];
  });
}

/** Records them, with each record set aside as a whole of which an event is refused: once for each of those at most. */
export async function recordingWhole<T>(
  records: readonly PreparedRecord[],
  record: (records: readonly PreparedRecord[]) => Promise<T>,
): Promise<T> {
  for (let left = records; ;) {
    try {
      return await record(left);
    } catch (error) {
      if (!(error instanceof PartRefusedError)) throw error;
      left = setAsideWhole(left, error);
    }
  }
}

/**
 * The stored offset lies before the batch: recording it would pass over what is in between. The offset was put
 * back by hand, or the database is a restored one.
 */
export class OffsetBehindError extends SafeError {
  override readonly name = 'OffsetBehindError';

  constructor(
    readonly storedOffset: number,
    readonly fromOffset: number,
  ) {
    super(`the stored offset ${storedOffset} lies before the batch, which begins at ${fromOffset}`);
  }
}

/** What one statement failed with; a race, where Postgres refused it with this SQLSTATE. */
export function asRace(error: unknown, sqlState: string, on: BatchRaceError['on']): unknown {
  return error instanceof DatabaseError && error.sqlState === sqlState ? new BatchRaceError(on) : error;
}

/** Two recording the same identity at once is rare; so many in a row is a defect. */
const batchRaceAttemptsMax = 5;

/**
 * Repeats what lost a race against another recording.
 * @param attempt `isPessimistic`: one before it lost a race; what is read is to be locked
 */
export async function repeatRaces<T>(attempt: (isPessimistic: boolean) => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(attempts > 1);
    } catch (error) {
      if (!(error instanceof BatchRaceError) || attempts >= batchRaceAttemptsMax) throw error;
    }
  }
}

/**
 * Statements of one transaction whose answers are not needed before the commit: they share a round trip. What follows them
 * sees what they wrote, for the server runs them in order.
 */
export class PendingWrites {
  private readonly writes: Promise<void>[] = [];
  private hasFailed = false;
  private areJudgedHere = false;

  add(write: Promise<void>): void {
    // A rejection has no handler until the transaction asks for it by `answered` or `failure`.
    write.catch(() => {
      this.hasFailed = true;
    });
    this.writes.push(write);
  }

  /** One whose answer must be looked at before anything may be committed: Postgres alone does not refuse it. */
  addJudged(write: Promise<void>): void {
    this.areJudgedHere = true;
    this.add(write);
  }

  /** All are called; where Postgres refuses whatever must not be, COMMIT need not wait for their answers. */
  commitBehind(session: SqlSession): void {
    if (!this.areJudgedHere) session.commitUnless?.(() => this.hasFailed);
  }

  /** Resolves once all are answered. @throws what the first one failed with */
  async answered(): Promise<void> {
    for (const write of this.writes) await write;
  }

  /** What the first failed one failed with, once all are answered; null: none failed. */
  async failure(): Promise<unknown> {
    const settled = await Promise.allSettled(this.writes);
    return settled.find((result) => result.status === 'rejected')?.reason ?? null;
  }
}

/**
 * Does the work of a transaction, the answers of its pending writes included.
 * @throws what failed first: after a failed statement the server refuses all that follow, and the first one says why
 */
export async function withPendingWrites<T>(work: (writes: PendingWrites) => Promise<T>): Promise<T> {
  const writes = new PendingWrites();
  try {
    const result = await work(writes);
    await writes.answered();
    return result;
  } catch (error) {
    throw (await writes.failure()) ?? error;
  }
}

/**
 * SQLSTATE classes that speak of the data sent: data exception, integrity constraint, program limit exceeded. Others
 * that will not pass either (a missing table, a missing right) speak of the installation: no record is to blame, and
 * setting all of them aside one by one would not help.
 */
const contentClasses = new Set(['22', '23', '54']);

/** Whether the database refused these very records. */
export function isContentFailure({ kind, sqlState }: DatabaseError): boolean {
  return kind === 'failed' && (sqlState === null || contentClasses.has(sqlState.slice(0, 2)));
}

/** Names the stage and code at which recording failed, never a value. */
export function describeDatabaseFailure({ operation, sqlState }: DatabaseError): string {
  return `record: ${operation} failed${sqlState === null ? '' : ` (${sqlState})`}`;
}

/** What a failed recording means for the records in it. */
interface RecordingFailure {
  /**
   * `content`: the database or our own code refused these very records; `unavailable`: time will help; `behind`: the
   * stored offset is not where we believe.
   */
  readonly cause: 'unavailable' | 'content' | 'behind';
  /** Names the stage and code, never a value. */
  readonly failure: string;
}

/** Judges an error of `ChunkRepository.record`. */
export function describeFailure(error: unknown): RecordingFailure {
  if (error instanceof DatabaseError) {
    return { cause: isContentFailure(error) ? 'content' : 'unavailable', failure: describeDatabaseFailure(error) };
  }
  const name = error instanceof Error ? error.name : 'failed';
  const failure = `record: ${name}`;
  if (error instanceof OffsetBehindError) return { cause: 'behind', failure };
  // Keys of members that another process wrapped by a key that this one has not been given: no record is to blame.
  // What is needed to read them is away, such as a registry of schemas.
  const isPassing = ['BatchRaceError', 'UnavailableError'].includes(name) || error instanceof MasterKeyMissingError;
  return { cause: isPassing ? 'unavailable' : 'content', failure };
}
