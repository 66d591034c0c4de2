import type { SqlSession, SqlStatement } from '#platform';

import type { DeadLetter } from './dead-letter.js';
import type { SealedParts } from './open-parts.js';
import { openParts, sealedColumns } from './open-parts.js';

const statement: SqlStatement = {
  name: 'load_dead_letters',
  text: `
SELECT quarantine_id, topic, partition, kafka_offset, last_offset, reason, detail, ${sealedColumns}
FROM quarantine WHERE quarantine_id = ANY ($1::bigint[]) ORDER BY quarantine_id`,
};

interface QuarantineRow extends SealedParts {
  readonly quarantine_id: number;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly last_offset: number | null;
  readonly reason: string;
  readonly detail: string;
}

/** What no key opens any more is left out: the letter must go out all the same. */
function toLetter(row: QuarantineRow, quarantineKey: Uint8Array): DeadLetter {
  const { key, value, headersText } = openParts(row, quarantineKey);
  return {
    quarantineId: row.quarantine_id,
    topic: row.topic,
    partition: row.partition,
    offset: row.kafka_offset,
    lastOffset: row.last_offset,
    reason: row.reason,
    detail: row.detail,
    key,
    value: value === 'lost' ? null : value,
    headersText: headersText ?? '{}',
    isUnreadable: headersText === null || value === 'lost',
  };
}

/** Reads and opens quarantined records, in the order of their ids. */
export async function loadDeadLetters(
  session: SqlSession,
  quarantineIds: readonly number[],
  quarantineKey: Uint8Array,
): Promise<DeadLetter[]> {
  const { rows } = await session.query<QuarantineRow>(statement, [quarantineIds]);
  return rows.map((row) => toLetter(row, quarantineKey));
}
