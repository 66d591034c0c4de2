import type { SqlSession, SqlStatement } from '#platform';
import { SealBrokenError, unseal } from '#platform';

import { quarantineContext } from '../batch/insert-quarantine.js';
import type { DeadLetter } from './dead-letter.js';

const statement: SqlStatement = {
  name: 'load_dead_letters',
  text: `
SELECT quarantine_id, topic, partition, kafka_offset, reason, detail, sealed_key, sealed_value, sealed_headers
FROM quarantine WHERE quarantine_id = ANY ($1::bigint[]) ORDER BY quarantine_id`,
};

interface QuarantineRow {
  readonly quarantine_id: number;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly reason: string;
  readonly detail: string;
  readonly sealed_key: Buffer | null;
  readonly sealed_value: Buffer | null;
  readonly sealed_headers: Buffer;
}

type Part = 'key' | 'value' | 'headers';

/** Null for a part that never was, or that no key opens any more: the letter must go out all the same. */
function openPart(key: Uint8Array, part: Part, sealed: Buffer | null): Buffer | null {
  if (sealed === null) return null;
  try {
    return unseal({ key, sealed, context: quarantineContext(part) });
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

function toLetter(row: QuarantineRow, quarantineKey: Uint8Array): DeadLetter {
  const key = openPart(quarantineKey, 'key', row.sealed_key);
  const value = openPart(quarantineKey, 'value', row.sealed_value);
  const headers = openPart(quarantineKey, 'headers', row.sealed_headers);
  return {
    quarantineId: row.quarantine_id,
    topic: row.topic,
    partition: row.partition,
    offset: row.kafka_offset,
    reason: row.reason,
    detail: row.detail,
    key,
    value,
    headersText: headers?.toString('utf8') ?? '{}',
    isUnreadable: headers === null || (value === null && row.sealed_value !== null),
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
