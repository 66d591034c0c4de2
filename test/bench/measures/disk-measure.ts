import { Undo } from '../../support/process/program.js';
import { fillStore } from '../backlog/fill-store.js';
import { startChild } from '../child.js';
import type { RoundAnswer, RoundInput } from '../contestants/contestant.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { rounded } from '../statistics.js';
import { startStub } from '../stub/start-stub.js';
import { raceInput } from './beside-peers.js';
import type { MeasureTools } from './measure.js';

interface TableSize {
  readonly name: string;
  readonly heap: number;
  readonly indexes: number;
}

/** With what lies beside the rows (TOAST, maps), and all partitions of a table together. */
const sizesSql = `
SELECT name, sum(pg_table_size(part))::float8 AS heap, sum(pg_indexes_size(part))::float8 AS indexes
FROM (
  SELECT relname AS name, COALESCE(p.relid, c.oid) AS part
  FROM pg_class c LEFT JOIN LATERAL pg_partition_tree(c.oid) p ON p.isleaf
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
) tables
GROUP BY name ORDER BY sum(pg_total_relation_size(part)) DESC`;

const columns = [
  'rows, bytes per intent',
  'indexes, bytes per intent',
  'all, bytes per intent',
  'all, bytes per member',
];
/** Of a million bytes. */
const gibibytesPerMillion = 1_000_000 / 1_024 ** 3;
/** What grows with neither is not shown. */
const bytesShownMin = 1;

const deliverAll = async (tools: MeasureTools, databaseUrl: string, undo: Undo): Promise<void> => {
  const stub = await startStub();
  undo.add(() => stub.stop());
  const { child } = await startChild('contestants/contestant-process', ['delivery']);
  undo.add(() => child.stop());
  const { roundSecondsMax, disk } = tools.plan;
  const input: RoundInput = { ...raceInput(tools, stub, { size: disk }), databaseUrl };
  const answer = await child.ask<RoundAnswer>(input, roundSecondsMax * 1_000);
  if ('error' in answer) throw new Error(answer.error);
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { plan, postgres, encryptionKey, say } = tools;
  const { members, intentsPerMember } = plan.disk;
  const intents = members * intentsPerMember;
  say(`disk: recording and delivering ${intents} intents of ${members} members`);
  const url = await postgres.create('disk');
  undo.add(() => postgres.drop('disk'));
  await fillStore(url, encryptionKey, plan.disk);
  await deliverAll(tools, url, undo);
  await settle(url);
  const sizes = await runSql<TableSize>(url, sizesSql);
  const rowOf = ({ name, heap, indexes }: TableSize): FiguresRow => ({
    label: name,
    values: [heap / intents, indexes / intents, (heap + indexes) / intents, (heap + indexes) / members].map(rounded),
  });
  const sum = (part: (size: TableSize) => number): number => sizes.reduce((total, size) => total + part(size), 0);
  const total = { name: 'all tables', heap: sum(({ heap }) => heap), indexes: sum(({ indexes }) => indexes) };
  const shown = sizes.filter(({ heap, indexes }) => (heap + indexes) / intents >= bytesShownMin);
  return {
    kind: 'figures',
    name: 'disk',
    unit: `${members.toLocaleString('en-US')} members, ${intentsPerMember} delivered intents each`,
    columns,
    rows: [...shown, total].map(rowOf),
    bars: [],
    notes: [
      'After VACUUM; every intent delivered at the first attempt; nothing aged out.',
      `A million such intents take ${rounded(((total.heap + total.indexes) / intents) * gibibytesPerMillion)} GiB.`,
    ],
  };
};

/** What is left on the disk of what was recorded and delivered. */
export const diskMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
