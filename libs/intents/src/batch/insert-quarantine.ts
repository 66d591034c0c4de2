import type { QuarantineReason } from '#domain';
import type { Random, SqlSession, SqlStatement } from '#platform';
import { seal } from '#platform';

import { readableText } from '../events/readable-text.js';
import { timestamp } from '../events/stored-event.js';
import type { BatchToRecord, OriginalRecord } from './batch-to-record.js';

const statement: SqlStatement = {
  name: 'insert_quarantine',
  text: `
WITH added AS (
  INSERT INTO quarantine (topic, partition, recorded_at, kafka_offset, last_offset, reason, detail, sealed_key,
    sealed_value, sealed_headers, value_bytes, broker_at)
  SELECT $1, $2, $3::timestamptz, w.*
  FROM unnest($4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bytea[], $9::bytea[], $10::bytea[], $11::int[],
    $12::timestamptz[]) AS w
  RETURNING quarantine_id
)
INSERT INTO dead_letter_outbox (quarantine_id) SELECT quarantine_id FROM added WHERE $13`,
};

export interface RecordToQuarantine {
  readonly original: OriginalRecord;
  readonly reason: QuarantineReason;
  readonly detail: string;
}

/** What a quarantined part is bound to. */
export function quarantineContext(part: 'key' | 'value' | 'headers'): Buffer {
  return Buffer.from(`quarantine:${part}`, 'latin1');
}

/**
 * Sets records aside with their original bytes, sealed with the quarantine key, and queues their dead-letter records where
 * such are published.
 */
export async function insertQuarantine(
  session: SqlSession,
  request: { readonly records: readonly RecordToQuarantine[]; readonly context: BatchToRecord },
  sealing: { readonly key: Uint8Array; readonly random: Random },
): Promise<void> {
  const { records, context } = request;
  if (records.length === 0) return;
  const sealPart = (part: 'key' | 'value' | 'headers', plain: Uint8Array | string | null): Buffer | null =>
    plain === null ? null : seal({ key: sealing.key, plain, context: quarantineContext(part) }, sealing.random);
  await session.query(statement, [
    context.source.topic,
    context.source.partition,
    timestamp(context.now),
    records.map(({ original }) => original.batch?.firstOffset ?? original.offset),
    records.map(({ original }) => (original.batch === undefined ? null : original.offset)),
    records.map(({ reason }) => reason),
    records.map(({ detail }) => readableText(detail)),
    records.map(({ original }) => sealPart('key', original.key)),
    records.map(({ original }) => sealPart('value', original.value)),
    records.map(({ original }) => sealPart('headers', original.headersText)),
    records.map(({ original }) => original.value?.length ?? 0),
    records.map(({ original }) => timestamp(original.brokerAt)),
    context.hasDeadLetters ?? true,
  ]);
}
