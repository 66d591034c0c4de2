import { maintain } from '#intents';
import { createDataSource, TypeormDatabase } from '#platform';
import type { TestBroker } from '#test-support';
import { createTopics, testBroker } from '#test-support';

import { Undo } from '../../support/process/program.js';
import { fillHistory } from '../backlog/fill-history.js';
import { fillStore } from '../backlog/fill-store.js';
import { fillTopic } from '../backlog/fill-topic.js';
import { startChild } from '../child.js';
import type { RoundAnswer, RoundInput } from '../contestants/contestant.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import type { BarReport, FiguresReport } from '../report/bench-report.js';
import { rounded, spreadOf } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const partitions = 4;
const graceMs = 30_000;
const policy = {
  intentDays: 400,
  dedupDays: 400,
  quarantineDays: 0,
  unmappedDays: 30,
  jobDays: 0,
  auditDays: 0,
  erasedDays: 0,
  hasDeadLetters: true,
};

interface Round {
  /** Old intents with their events and identities, per second. */
  readonly retired: number;
  /** Events recorded beside it, per second. */
  readonly recorded: number;
}

/** Two runs: the identities of what has left in the first one go in the second. @returns intents per second */
const retireAll = async (url: string, intents: number): Promise<number> => {
  const settings = { poolSize: 1, ssl: false as const, applicationName: 'maintain', migrations: [] };
  const source = createDataSource({ url, ...settings, onPoolError: () => undefined });
  await source.initialize();
  try {
    const tools = { database: new TypeormDatabase(source), clock: { now: () => Date.now() } };
    const from = performance.now();
    const { intents: left } = await maintain(tools, policy);
    const { identities } = await maintain(tools, policy);
    const seconds = (performance.now() - from) / 1_000;
    if (left !== intents || identities !== 2 * intents) {
      throw new Error(`${left} intents and ${identities} identities left, of ${intents}`);
    }
    return intents / seconds;
  } finally {
    await source.destroy();
  }
};

const ingestAll = async (input: RoundInput, undo: Undo): Promise<number> => {
  const { child } = await startChild('contestants/contestant-process', ['ingest']);
  undo.add(() => child.stop());
  const answer = await child.ask<RoundAnswer>(input, input.secondsMax * 1_000 + graceMs);
  if ('error' in answer) throw new Error(answer.error);
  return answer.figures.done / answer.figures.seconds;
};

const prepareTopic = async ({ plan }: MeasureTools): Promise<{ broker: TestBroker; topic: string }> => {
  const broker = await testBroker();
  const topic = `loyalty.retention.${process.pid}.${Date.now()}`;
  await createTopics(broker, [topic, `${topic}.members`, `${topic}.rewards`], partitions);
  await fillTopic(broker, topic, plan.retention.recorded);
  return { broker, topic };
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { plan, postgres, encryptionKey, say } = tools;
  const { recorded, aged } = plan.retention;
  const [records, old] = [recorded, aged].map(({ members, intentsPerMember }) => members * intentsPerMember) as [
    number,
    number,
  ];
  say(`retention: ${old} old intents leave while ${records} events are recorded`);
  const template = await postgres.create('aged');
  undo.add(() => postgres.drop('aged'));
  await fillStore(template, encryptionKey, { ...recorded, intentsPerMember: 1 });
  await fillHistory(template, aged);
  await settle(template);
  const { broker, topic } = await prepareTopic(tools);
  const rounds: Round[] = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    const databaseUrl = await postgres.clone('aged', 'retention');
    const kafka = { brokers: broker.brokers, topic, groupId: `${topic}.${round}`, records };
    const common = { stubOrigin: '', encryptionKey, concurrency: plan.concurrency, secondsMax: plan.roundSecondsMax };
    const roundUndo = new Undo();
    await roundUndo.after(async () => {
      const ingesting = ingestAll({ ...common, ...recorded, databaseUrl, kafka }, roundUndo);
      const [perSecond, retired] = await Promise.all([ingesting, retireAll(databaseUrl, old)]);
      // The first one warms up.
      if (round > 0) rounds.push({ recorded: perSecond, retired });
      await verify(databaseUrl, records + recorded.members);
    });
    await postgres.drop('retention');
  }
  return reportOf(rounds);
};

const verify = async (url: string, expected: number): Promise<void> => {
  const [row] = await runSql<{ left: number }>(url, 'SELECT count(*)::int AS left FROM intent');
  if (row?.left !== expected) throw new Error(`${row?.left ?? 0} intents are there instead of ${expected}`);
};

const timesMin = 3;

const reportOf = (rounds: readonly Round[]): FiguresReport => {
  const ratio = spreadOf(rounds.map(({ retired, recorded }) => retired / recorded));
  const bar: BarReport = {
    text: `retires >= ${timesMin} x what ingest brings in, while both run`,
    atLeast: timesMin,
    reached: ratio.median,
    spread: ratio,
    holds: ratio.median >= timesMin,
  };
  return {
    kind: 'figures',
    name: 'retention',
    unit: 'while both run',
    columns: ['intents retired/s', 'events recorded/s', 'ratio'],
    rows: rounds.map(({ retired, recorded }, index) => ({
      label: `round ${index + 1}`,
      values: [retired, recorded, retired / recorded].map(rounded),
    })),
    bars: [bar],
    notes: [
      'An intent that is retired: its row, its event with the begin, its two identities, in two runs of `maintain`.',
    ],
  };
};

/** How fast old intents leave beside an ingest that takes all it can. */
export const retentionMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
