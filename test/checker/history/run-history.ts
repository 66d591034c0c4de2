import type { Program } from '#contracts';
import type { AttemptOutcome } from '#domain';

import type { SourcePlace } from './lane-history.js';
import type { Effect, PartnerRequest } from './partner-history.js';

/** What belongs to no single lane. */
export interface RunHistory {
  readonly programs: Readonly<Record<string, ProgramPolicy>>;
  /** Every record in the source topics. */
  readonly log: readonly LogRecord[];
  readonly dedup: readonly DedupRow[];
  readonly quarantine: readonly QuarantineRow[];
  /** Stored offsets as they were seen, in the order of seeing; the last of a partition is how it ended. */
  readonly offsets: readonly OffsetSample[];
  /** Ledger entries of members that have no lane. */
  readonly strayEffects: readonly Effect[];
  readonly notes: RunNotes;
  /** All requests in the order of their arrival, lookups and tokens too; absent where nobody noted them. */
  readonly requests?: readonly PartnerRequest[];
  /** What processes that lived on had heard from the partner; absent where nobody noted it. */
  readonly answers?: readonly HeardAnswer[];
  /** What a listener to the outcomes topic heard, in order per member; absent where nobody listened. */
  readonly outcomes?: readonly HeardOutcome[];
  /** Everything that can be read in the clear: table columns, log lines, metrics. */
  readonly clearTexts?: Iterable<ClearText>;
  /** Values that must not be readable anywhere: personal values of the traffic, secrets, tokens. */
  readonly secrets?: readonly string[];
}

/** What the programs file says, as far as a history can break it. The same during the whole run. */
export type ProgramPolicy = Pick<
  Program,
  'retries' | 'inFlightMs' | 'missingPass' | 'onUnknown' | 'onPark' | 'limits' | 'refundWaits'
>;

/** A record of a source topic. */
export interface LogRecord extends SourcePlace {
  /** The producer was told that it is stored. */
  readonly isAcknowledged: boolean;
  /** The program and member that the event is about; null: it names none that can be read. */
  readonly program: string | null;
  readonly memberId: string | null;
  /** The event's identity as it would stand in `dedup`; null: it has none (unreadable, a tombstone). */
  readonly eventKey: string | null;
  /** The business key as it would stand in `dedup`; null: it has none. */
  readonly businessKey: string | null;
  /**
   * What a record with an identity not seen before must become. `anything`: an intent, a quarantine row or a no-op that
   * left its identity (a void, an update that may be stale). `nothing`: it may vanish without a trace (a tombstone).
   */
  readonly owes: 'intent' | 'quarantine' | 'anything' | 'nothing';
}

/** A row of `dedup`. */
export interface DedupRow {
  readonly key: string;
  readonly kind: 'event' | 'business';
  readonly laneId: number | null;
  readonly seq: number | null;
}

/** A row of `quarantine`. */
export interface QuarantineRow extends SourcePlace {
  readonly reason: string;
}

/** A row of `kafka_offset`, seen at some time. */
export interface OffsetSample {
  readonly takenAt: number;
  readonly topic: string;
  readonly incarnation: number;
  readonly partition: number;
  readonly nextOffset: number;
}

/** A process that did not die was told this about its attempt. */
export interface HeardAnswer {
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly outcome: AttemptOutcome['kind'];
}

export interface HeardOutcome {
  readonly id: string;
  readonly name: string;
  readonly program: string;
  readonly memberId: string;
  /** Null for a pass. */
  readonly seq: number | null;
  /** Which pass is told; absent or null: none, or nobody knows. */
  readonly passId?: number | null;
}

export interface ClearText {
  /** Where it stands: `intent_event.data of lane 7`, `log of daemon 2`. */
  readonly where: string;
  readonly text: string;
}

/** What whoever made the run knows about it. */
export interface RunNotes {
  /** The faults had ended and everything had time to come to rest. */
  readonly isAtRest: boolean;
  /** Every daemon was told to stop and did. */
  readonly isStopped: boolean;
  /** Lanes were recreated meanwhile: everything unsettled was due at once. */
  readonly wasRebuilt: boolean;
  /** By how much the partner's clock and ours may differ. */
  readonly clockToleranceMs: number;
  readonly replicas: number;
  readonly partner: PartnerNotes;
  /** How often each fault struck; only told, never judged. */
  readonly faults: Readonly<Record<string, number>>;
}

export interface PartnerNotes {
  /** It refuses a second use of a unique value and a second pass of a member, always. */
  readonly enforcesUniqueness: boolean;
  /** Others than we give points to passes, change them or issue them. */
  readonly othersWrite: boolean;
  /** Others than we use values of unique attributes that we use, too: a duplicate may be of theirs. */
  readonly othersUseOurValues: boolean;
  /** Members had passes before the run. */
  readonly hadPasses: boolean;
}
