import type { PreparedRecord, RecordVerdict } from '../batch/batch-to-record.js';
import type { ResubmitTools } from '../quarantine/resubmit-quarantined.js';
import type { TestEvent } from './records.js';
import { originalOf, prepared } from './records.js';
import type { TestStore } from './test-store.js';
import type { Till } from './till.js';

const refused: RecordVerdict = { kind: 'quarantine', reason: 'unknown-program', detail: 'data.program: unknown' };

/** Sets records with these texts aside, in order, as ingest would. @returns their ids */
export async function setAside(store: TestStore, till: Till, texts: readonly string[]): Promise<number[]> {
  const from = till.offset;
  await till.recordPrepared(
    texts.map((text, index) => ({ original: originalOf(text, from + index), verdict: refused })),
  );
  const rows = await store.sql<{ id: number }>(
    'SELECT quarantine_id AS id FROM quarantine WHERE partition = $1 AND kafka_offset >= $2 ORDER BY kafka_offset',
    till.source.partition,
    from,
  );
  return rows.map(({ id }) => id);
}

/** Routes what was set aside by its text: whatever the mended programs file takes is an event, the rest is refused still. */
export function routingBy(mended: Readonly<Record<string, TestEvent>>): ResubmitTools['route'] {
  return ({ original }) => {
    const { text } = JSON.parse(Buffer.from(original.value ?? '').toString()) as { readonly text: string };
    const event = mended[text];
    const verdict = event === undefined ? refused : prepared(event, original.offset).verdict;
    const record: PreparedRecord = { original, verdict };
    return { record, programsHash: Buffer.alloc(16, 2) };
  };
}
