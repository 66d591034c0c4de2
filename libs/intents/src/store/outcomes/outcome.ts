import type { IntentDelivered, OutcomeData, PassIssued, Reviver } from '#contracts';
import { readJsonText, walletPassSchema } from '#contracts';
import type { Operation, PassName } from '#intents/core';
import { passNameOf, transitionOf } from '#intents/core';
import { digest } from '#platform';

import { toEvent } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { evidencePlace, unlessBroken } from '../keys/member-keys.js';

/** One outcome on its way to the outcomes topic. Holds personal values: it travels to Kafka and nowhere else. */
export type Outcome = OutcomeData & {
  /** The same whenever it is published again: made of program, member, lane version and name. */
  readonly id: string;
  readonly memberId: string;
  /** Epoch ms: when it became known. */
  readonly at: number;
  /** Rises within a member's outcomes, also over a restore. */
  readonly sequence: number;
};

/** More than any lane's version. With so many, nine thousand restores fit into a number that JSON readers keep exact. */
const versionsOfHistory = 1e12;

interface RowOfMember {
  readonly lane_id: number;
  readonly version: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly at: number;
  readonly data: Record<string, unknown> | null;
  /** Evidence that may hold a pass; null for all others. */
  readonly sealed: Buffer | null;
  readonly program_id: string;
  readonly member_id: string;
  /** Null when the member's key has been destroyed. */
  readonly wrapped_key: Buffer | null;
  /** Start of the last recovery before it: versions of a lost history are given out again. Null: there was none. */
  readonly history: number | null;
  /** Recoveries before it. */
  readonly recoveries: number;
  /** Everything up to here is erased or is about to be; 0: nothing. */
  readonly erased_seq: number;
}

interface RowOfIntent extends RowOfMember {
  readonly seq: number;
  readonly type: 'AttemptApplied' | 'VerifiedApplied' | 'IntentResolved' | 'IntentParked' | 'LateOutcome' | 'PassFound';
  readonly operation: Operation;
  readonly purchase_id: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
}

/** What has happened to the lane itself. */
interface RowOfLane extends RowOfMember {
  readonly seq: 0;
  readonly type: 'PassAdopted';
}

/** An event that somebody outside may want to know, with what tells whose it is. */
export type OutcomeRow = RowOfIntent | RowOfLane;

/** What the outcomes topic tells about a pass. */
export type PassFacts = Omit<PassIssued, 'program' | 'memberId'>;

const shape = walletPassSchema.shape;

/** Fewer digits than this always fit into a float exactly. */
const longNumber = /\d{16}/;

/** The partner's ids beyond 2^53 become their decimal text instead of a rounded float. */
const exactInteger: Reviver = (_key, value, { source }) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
};

function parse(text: string): unknown {
  return readJsonText(text, { revive: longNumber.test(text) ? exactInteger : undefined }) ?? null;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function field<Name extends keyof PassFacts>(answer: unknown, name: Name): PassFacts[Name] {
  const read = shape[name].safeParse(property(answer, name));
  return (read.success ? (read.data ?? null) : null) as PassFacts[Name];
}

/** The answer that shows the pass, in the evidence of an attempt, a lookup or a listing. */
function shownIn(evidence: string): unknown {
  const told = parse(evidence);
  // Of an attempt in doubt it is the lookup that tells.
  const response = property(told, 'response') ?? property(property(told, 'lookup'), 'response');
  const body = property(response, 'body');
  return typeof body === 'string' ? parse(body) : null;
}

/** What the partner calls the pass in this evidence. */
export function passNameIn(evidence: string): PassName {
  const answer = shownIn(evidence);
  const [passId, serialNumber, personId] = ['passId', 'serialNumber', 'personId'].map((name) => property(answer, name));
  return passNameOf({ passId, serialNumber, personId });
}

/**
 * The pass in the evidence of an attempt or a lookup: the body of its response. Null where there is none, or none that
 * names itself: an answer without serial number is no pass. What is missing or mistyped is null.
 */
export function issuedPass(evidence: string): PassFacts | null {
  const answer = shownIn(evidence);
  const serialNumber = field(answer, 'serialNumber');
  if (serialNumber === null) return null;
  return {
    passId: field(answer, 'passId'),
    serialNumber,
    downloadUrl: field(answer, 'downloadUrl'),
    downloadUrlApple: field(answer, 'downloadUrlApple'),
    downloadUrlGoogle: field(answer, 'downloadUrlGoogle'),
    statusCode: field(answer, 'statusCode'),
  };
}

/** An intent's id as the operations API spells it (contracts.md section 4). */
export function intentId(intent: {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
}): string {
  return `${encodePart(intent.program)}~${encodePart(intent.memberId)}~${intent.seq}`;
}

function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('~', '%7E');
}

/** The member's person is gone: nothing about it may be published any more. */
function isErased({ wrapped_key: key, seq, erased_seq: erasedSeq }: OutcomeRow): boolean {
  return key === null || (erasedSeq > 0 && seq <= erasedSeq);
}

function intentData(row: Exclude<OutcomeRow, { type: 'PassAdopted' }>): IntentDelivered {
  const { program_id: program, member_id: memberId, seq, topic, partition } = row;
  return {
    program,
    memberId,
    intentId: intentId({ program, memberId, seq }),
    operation: row.operation,
    purchaseId: row.purchase_id,
    cause: { topic, partition, offset: row.kafka_offset },
  };
}

/** What became of the intent, where the event says so. */
function endOf(row: OutcomeRow): OutcomeData | null {
  if (row.type === 'PassAdopted') return null;
  const { status, lane } = transitionOf(toEvent({ ...row, attempt: 0 }));
  if (status === 'delivered') return { name: 'loyalty.intent.delivered.v1', data: intentData(row) };
  if (status !== 'parked') return null;
  const reason = String(row.data?.['reason']);
  return { name: 'loyalty.intent.parked.v1', data: { ...intentData(row), reason, holdsLane: lane === 'block' } };
}

function passOf(row: OutcomeRow, keys: MemberKeys): OutcomeData | null {
  const { lane_id: laneId, sealed, wrapped_key: wrapped, program_id: program, member_id: memberId } = row;
  const { seq, type, attempt, epoch, version } = row;
  if (sealed === null || wrapped === null) return null;
  // Damaged evidence costs its pass, not all that comes after it.
  const evidence = unlessBroken(() => {
    const event = { laneId, seq, type, attempt, epoch, version, key: keys.learn(laneId, wrapped) };
    return keys.openFor(evidencePlace(event), sealed);
  });
  const pass = evidence === null ? null : issuedPass(evidence);
  return pass === null ? null : { name: 'loyalty.pass.issued.v1', data: { program, memberId, ...pass } };
}

function toOutcome(row: OutcomeRow, content: OutcomeData): Outcome {
  const { program_id: program, member_id: memberId, version, at, history, recoveries } = row;
  const place = [program, memberId, version, content.name, ...(history === null ? [] : [history])];
  const id = digest(JSON.stringify(['outcome', ...place])).toString('hex');
  return { ...content, id, memberId, at, sequence: recoveries * versionsOfHistory + version };
}

/** What an event means to the outside: nothing, one outcome, or two (a pass and the delivery of what issued it). */
export function toOutcomes(row: OutcomeRow, keys: MemberKeys): Outcome[] {
  if (isErased(row)) return [];
  const contents = [passOf(row, keys), endOf(row)];
  return contents.flatMap((content) => (content === null ? [] : [toOutcome(row, content)]));
}
