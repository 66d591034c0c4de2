import type { IntentStanding, QuarantinedRecord } from '#intents';

import type { Expectation } from '../traffic/expectation.js';

/** A record that was emitted, and where Kafka put it. */
export interface EmittedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly role: string;
  readonly expectation: Expectation;
}

/** An effect that the partner's ledger has (contracts.md section 9), in the order in which they took effect. */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: string;
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string;
  readonly targetId: string | null;
  readonly key: string | null;
  readonly body: unknown;
}

export type Standing = Pick<
  IntentStanding,
  'topic' | 'partition' | 'offset' | 'seq' | 'status' | 'parkedReason' | 'operation'
>;

export interface AuditInput {
  readonly emitted: readonly EmittedRecord[];
  readonly ledger: readonly LedgerEntry[];
  /** What the daemon says became of each record: believed where a record was parked or set aside, nowhere else. */
  readonly standings: readonly Standing[];
  readonly quarantined: readonly Pick<QuarantinedRecord, 'topic' | 'partition' | 'offset' | 'reason'>[];
}

/** Where a record lies, as a map's key. */
export function placeOf({ topic, partition, offset }: Pick<EmittedRecord, 'topic' | 'partition' | 'offset'>): string {
  return `${topic}/${partition}/${offset}`;
}
