import { prepareRecord } from '#ingest';
import { recordBatch, recordBatchMax, startOffset } from '#intents';
import { buildTemplate } from '#test-support';
import { benchPrograms } from '../bench-program.js';
import { openStore } from '../bench-store.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import { eventHeaders, memberId, purchaseEvent } from './purchase-event.js';

export interface BacklogSize {
  readonly members: number;
  readonly intentsPerMember: number;
}

const source = { clusterId: 'bench', topic: 'loyalty.backlog', incarnation: 1, partition: 0 };

/** Members in turn, as they come to the tills. */
const backlogRecord = (offset: number, { members }: BacklogSize) => ({
  offset,
  brokerAt: Date.now(),
  key: Buffer.from(memberId(offset % members)),
  value: purchaseEvent(offset % members, Math.floor(offset / members) + 1),
  headers: { 'content-type': Buffer.from(eventHeaders['content-type']) },
});

/**
 * Brings an empty database to the current schema and records a backlog the way ingest does; every member's pass is
 * known, so that nothing but transactions remains to be sent.
 */
export const fillStore = async (url: string, encryptionKey: string, size: BacklogSize): Promise<void> => {
  await buildTemplate(url);
  const store = await openStore(url, encryptionKey);
  const { file, hash } = benchPrograms(1);
  const total = size.members * size.intentsPerMember;
  await startOffset(store.database, source, 0);
  for (let from = 0; from < total; from += recordBatchMax) {
    const nextOffset = Math.min(total, from + recordBatchMax);
    const now = store.clock.now();
    const context = { source, programs: file, now, cell: { index: 0, count: 1 } };
    const offsets = Array.from({ length: nextOffset - from }, (_, index) => from + index);
    const records = offsets.map((offset) => prepareRecord(backlogRecord(offset, size), context));
    const { intents } = await recordBatch(
      store.database,
      { source, records, fromOffset: from, nextOffset, now, programsHash: hash },
      store.keys,
    );
    if (intents !== records.length) throw new Error(`only ${intents} of ${records.length} events became intents`);
  }
  await store.close();
  await runSql(url, "UPDATE lane SET pass = 'known'");
  await settle(url);
};
