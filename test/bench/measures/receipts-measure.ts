import { prepareRecord } from '#events/ingest';
import { recordBatch, recordBatchMax, startOffset } from '#intents';
import { buildTemplate } from '#test-support';

import { Undo } from '../../support/process/program.js';
import { eventHeaders, purchaseEvent } from '../backlog/purchase-event.js';
import { benchPrograms, openStore } from '../bench-parts.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const source = { clusterId: 'bench', topic: 'loyalty.purchases', incarnation: 1, partition: 0 };

interface Size {
  readonly name: string;
  readonly heap: number;
  readonly index: number;
}

/** What is kept of them: nothing else has a row. */
const tables = ['anonymous_receipt', 'dedup'];

const sizesSql = `
SELECT name, pg_table_size(name::regclass)::float8 AS heap, pg_indexes_size(name::regclass)::float8 AS index
FROM unnest('{${tables.join(',')}}'::text[]) AS w (name)`;

const countsSql = `
SELECT (SELECT count(*) FROM anonymous_receipt)::int AS receipts, (SELECT count(*) FROM intent)::int AS intents,
  (SELECT count(*) FROM member)::int AS members`;

/** As ingest does. @returns records a second */
const recordSales = async (url: string, { encryptionKey, plan }: MeasureTools): Promise<number> => {
  const store = await openStore(url, encryptionKey);
  const { file, hash } = benchPrograms(1);
  await startOffset(store.database, source, 0);
  const startedAt = performance.now();
  for (let from = 0; from < plan.receipts; from += recordBatchMax) {
    const nextOffset = Math.min(plan.receipts, from + recordBatchMax);
    const now = store.clock.now();
    const offsets = Array.from({ length: nextOffset - from }, (_, index) => from + index);
    const records = offsets.map((offset) =>
      prepareRecord(
        {
          ...{ offset, brokerAt: now, key: null, value: purchaseEvent(offset, 1, false) },
          headers: { 'content-type': Buffer.from(eventHeaders['content-type']) },
        },
        { source, authority: null, programs: file, now },
      ),
    );
    const batch = { source, records, fromOffset: from, nextOffset, now, programsHash: hash };
    await recordBatch(store.database, batch, store.keys);
  }
  await store.close();
  return (plan.receipts / (performance.now() - startedAt)) * 1_000;
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { plan, postgres, say } = tools;
  say(`receipts: recording ${plan.receipts} purchases without a card`);
  const url = await postgres.create('receipts');
  undo.add(() => postgres.drop('receipts'));
  await buildTemplate(url);
  const rate = await recordSales(url, tools);
  await settle(url);
  const [counts] = await runSql<Record<'receipts' | 'intents' | 'members', number>>(url, countsSql);
  if (counts?.receipts !== plan.receipts || counts.intents + counts.members > 0) {
    throw new Error(`recorded otherwise: ${JSON.stringify(counts)}`);
  }
  const rowOf = ({ name, heap, index }: Size): FiguresRow => ({
    label: name,
    values: [heap, index, heap + index].map((bytes) => rounded(bytes / plan.receipts)),
  });
  return {
    kind: 'figures',
    name: 'receipts',
    unit: `${plan.receipts.toLocaleString('en-US')} purchases without a card`,
    columns: ['row, bytes each', 'index, bytes each', 'all, bytes each'],
    rows: (await runSql<Size>(url, sizesSql)).map(rowOf),
    bars: [],
    notes: [
      `After VACUUM, recorded at ${Math.round(rate).toLocaleString('en-US')} a second.`,
      'The receipt goes after `anonymousReceiptDays`; the identity of its event, in `dedup`, as that of every other event.',
    ],
  };
};

/** What a purchase without a card leaves behind. */
export const receiptsMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
