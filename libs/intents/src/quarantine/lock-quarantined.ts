import type { SqlSession, SqlStatement } from '#platform';

import type { SealedParts } from './open-parts.js';
import { sealedColumns } from './open-parts.js';
import type { QuarantineState } from './settlement.js';

const statement: SqlStatement = {
  name: 'lock_quarantined',
  text: `
SELECT q.state, q.topic, q.partition, q.kafka_offset AS "offset", q.last_offset AS "lastOffset",
  q.broker_at AS "brokerAt", ${sealedColumns},
  COALESCE(i.cell_index, 0) AS "cellIndex", COALESCE(i.cell_count, 1) AS "cellCount"
FROM quarantine q LEFT JOIN installation i ON true WHERE q.quarantine_id = $1::bigint FOR NO KEY UPDATE OF q`,
};

/** A record set aside, while we hold its row. */
export interface LockedRecord extends SealedParts {
  readonly state: QuarantineState;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Set: it is a whole record batch, for its records from `offset` to this one. */
  readonly lastOffset: number | null;
  /** Epoch ms. */
  readonly brokerAt: number;
  /** Which members the installation takes. */
  readonly cellIndex: number;
  readonly cellCount: number;
}

/** Locks one record until the transaction ends: of two who want to deal with it, one does. Null: there is none. */
export async function lockQuarantined(session: SqlSession, quarantineId: number): Promise<LockedRecord | null> {
  return (await session.query<LockedRecord>(statement, [quarantineId])).rows[0] ?? null;
}
