import { fillStore } from '../backlog/fill-store.js';
import type { BenchPlan } from '../bench-plan.js';
import type { RoundInput } from '../contestants/contestant.js';
import { createAttemptTables, eventRowsPerAttempt } from '../contestants/attempt-rows.js';
import { fillGraphile, groupedSettings, tunedSettings } from '../contestants/graphile.js';
import { batchedSettings, fillPgBoss } from '../contestants/pg-boss.js';
import { restateProgram, restateSettings } from '../contestants/restate.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Bar } from '../report/bench-report.js';
import type { PartnerStub } from '../stub/start-stub.js';
import { startStub } from '../stub/start-stub.js';
import type { Entrant, FinishedRound, Measure, MeasureTools } from './measure.js';

/** What our event store must show after a drained round: every intent begun before it was sent, then applied. */
export const verifyDrained = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const [row] = await runSql<{ begun: number; applied: number; events: number; busy: number }>(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE type = 'AttemptBegun')::int AS begun,
       count(*) FILTER (WHERE type = 'AttemptApplied' AND sealed IS NOT NULL)::int AS applied,
       (SELECT count(*) FROM intent_event)::int AS events,
       (SELECT count(*) FROM lane WHERE due_at IS NOT NULL OR owner IS NOT NULL OR cur_seq <= tail_seq)::int AS busy
     FROM intent_history`,
  );
  const events = eventRowsPerAttempt * done;
  const isRight = row?.begun === done && row.applied === done && row.events === events && row.busy === 0;
  if (!isRight) throw new Error(`the event store does not show ${done} deliveries: ${JSON.stringify(row)}`);
};

/** What a job queue with attempt rows must show: all that was done was begun, and applied with its answer. */
const verifyAttemptRows = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const [row] = await runSql<{ begun: number; applied: number }>(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE type = 'AttemptBegun')::int AS begun,
       count(*) FILTER (WHERE type = 'AttemptApplied' AND sealed IS NOT NULL)::int AS applied
     FROM attempt_event`,
  );
  // Who stopped early may have recorded some that were not counted.
  const { begun = 0, applied = 0 } = row ?? {};
  if (applied >= done && begun >= (eventRowsPerAttempt - 1) * applied) return;
  throw new Error(`the rows do not show ${done} attempts: ${JSON.stringify(row)}`);
};

interface StubExpectation {
  readonly done: number;
  /** Who stopped early may have calls under way that were not counted. */
  readonly mayBeMore: boolean;
  readonly isOrdered: boolean;
}

/** Every call came once, none is missing; in order, where order was promised. */
export const verifyStub = async (stub: PartnerStub, expectation: StubExpectation): Promise<void> => {
  const { done, mayBeMore, isOrdered } = expectation;
  const counts = await stub.counts();
  const { applied, duplicates, outOfOrder, unreadable } = counts;
  const seen = applied + outOfOrder;
  const isCount = mayBeMore ? seen >= done : seen === done;
  const wrong = duplicates + unreadable + (isOrdered ? outOfOrder : 0);
  if (isCount && wrong === 0) return;
  throw new Error(`the partner stub saw ${JSON.stringify(counts)}, expected ${JSON.stringify(expectation)}`);
};

const twoProcesses = 'two-processes';
const graphileTuned = 'graphile-tuned';
const graphileGrouped = 'graphile-grouped';
const graphileUnordered = 'graphile-unordered';
const pgBossBatched = 'pg-boss-batched';
const pgBossUnordered = 'pg-boss-unordered';
const restate = 'restate';
const bareLoop = 'bare-loop';

/** A job queue that writes the rows of our attempts, too. */
const withRows = (name: string): string => `${name}-rows`;

/** A way of others to deliver the same backlog. */
interface PeerSide {
  readonly name: string;
  readonly label: string;
  readonly settings: object;
  readonly template: string;
  /** A member's calls one after the other. */
  readonly isOrdered: boolean;
  /** Whether it is measured as it is, doing the durable work that we do, or both. */
  readonly ways: readonly ('as it is' | 'with rows')[];
}

const bothWays = ['as it is', 'with rows'] as const;

const peerSides: readonly PeerSide[] = [
  {
    name: graphileTuned,
    label: 'graphile-worker, named + local queue',
    settings: tunedSettings,
    template: 'jobs',
    isOrdered: true,
    ways: ['as it is'],
  },
  {
    name: graphileGrouped,
    label: 'graphile-worker, named + local queue, group commits',
    settings: groupedSettings,
    template: 'jobs',
    isOrdered: true,
    ways: ['with rows'],
  },
  {
    name: pgBossBatched,
    label: 'pg-boss, key_strict_fifo, batches',
    settings: batchedSettings,
    template: 'boss_ordered',
    isOrdered: true,
    ways: bothWays,
  },
  {
    name: graphileUnordered,
    label: 'graphile-worker, unordered, local queue',
    settings: tunedSettings,
    template: 'jobs_unordered',
    isOrdered: false,
    ways: ['as it is'],
  },
  {
    name: pgBossUnordered,
    label: 'pg-boss, unordered, batches',
    settings: batchedSettings,
    template: 'boss_unordered',
    isOrdered: false,
    ways: bothWays,
  },
];

/** An engine of durable execution: each call is a step whose result it keeps. */
const engineSides = [
  {
    name: restate,
    label: 'Restate, virtual object per member',
    settings: restateSettings,
    template: null,
    isThere: restateProgram() !== null,
  },
].filter(({ isThere }) => isThere);

const engines = engineSides.map(({ name }) => name);

/** Loops without a database. */
const loopSides = [
  { name: bareLoop, label: 'bare loop of the HTTP client' },
  { name: 'gateway-loop', label: 'loop of our gateway, no database' },
] as const;

const bestOrdered = [graphileTuned, pgBossBatched];
const batchesWithRows = [pgBossBatched, graphileGrouped].map(withRows);

const deliveryBars: readonly Bar[] = [
  {
    text: 'one process >= 1 x the best ordered peer as it is: graphile-worker local queue, pg-boss batches',
    atLeast: 1,
    against: bestOrdered,
  },
  { text: 'two processes >= 1.2 x the same', of: twoProcesses, atLeast: 1.2, against: bestOrdered },
  {
    text: 'one process >= 1 x the best ordered peer that records attempt rows in batches: pg-boss, graphile-worker',
    atLeast: 1,
    against: batchesWithRows,
  },
  { text: 'two processes >= 1.2 x the same', of: twoProcesses, atLeast: 1.2, against: batchesWithRows },
  {
    text: '>= 0.75 x the best unordered peer as it is: graphile-worker with its local queue, pg-boss in batches',
    atLeast: 0.75,
    against: [graphileUnordered, pgBossUnordered],
  },
  { text: '>= 5 x an engine of durable execution: Restate', atLeast: 5, against: engines },
  {
    text: '<= 1 x the least processor time per intent of this engine, its server included',
    figure: 'allCpu',
    atMost: 1,
    against: engines,
  },
  { text: '>= 0.35 x a bare loop of the same HTTP client', atLeast: 0.35, against: [bareLoop] },
  {
    text: '<= 45 us of processor time per intent on top of the bare HTTP client',
    figure: 'cpu',
    atMost: 45,
    against: [bareLoop],
  },
  { text: '<= 35 us of processor time of Postgres per intent', figure: 'serverCpu', atMost: 35, against: [] },
  { text: '<= 1,000 bytes of write-ahead log per intent', figure: 'wal', atMost: 1_000, against: [] },
  { text: '< 0.1 statements per intent', figure: 'statements', atMost: 0.1, against: [] },
];

const deliveryNotes: readonly string[] = [
  'Rates from start to drained: intents (jobs, calls) per second, everything recorded durably.',
  'All members in order, except with entrants that say unordered.',
  `With attempt rows: ${eventRowsPerAttempt} rows for each attempt like ours, begun before the call and applied after it, the answer sealed with the member's key. Batches have them in their own transactions; in group commits they share one with other jobs' rows.`,
  'In a named queue the next job overtakes a failing one; a lane waits for its intent.',
  'As it is, a queue records a job once it is done; a lane records each attempt before it is sent, and its answer.',
  'A batch of pg-boss is completed as a whole: after a crash all of its jobs are done again.',
  'Restate drains a smaller backlog, which it has taken in before the time runs: it keeps the answer as the result of a step, and nothing before the call but that the invocation began.',
  ...(engines.includes(restate) ? [] : ['No server of Restate is published for this platform.']),
  'graphile-worker 0.17 ran jobs of one named queue at once when its local queue was on; 0.18.0 does not.',
  'Write-ahead log of an intent, by the plans that `--only delivery --profile FOLDER --json` shows: 870 bytes for the row of the attempt, with the sealed request and answer, and its two index entries; 260 for the row of the lane; 120 for the claim.',
  'All CPU: of the entrant, its server and the stub of the partner together. At best: what the cores could do if none ever waited.',
];

const fillTemplates = async ({ plan, postgres, encryptionKey }: MeasureTools): Promise<void> => {
  const size = plan.delivery;
  const createFor = async (template: string): Promise<string> => {
    const url = await postgres.create(template);
    await createAttemptTables(url, encryptionKey, size);
    return url;
  };
  await fillStore(await postgres.create('backlog'), encryptionKey, size);
  await fillGraphile(await createFor('jobs'), size, true);
  await fillGraphile(await createFor('jobs_unordered'), size, false);
  await fillPgBoss(await createFor('boss_ordered'), size, 'key_strict_fifo');
  await fillPgBoss(await createFor('boss_unordered'), size, 'standard');
};

const dropTemplates = async (postgres: BenchPostgres): Promise<void> => {
  const templates = new Set(['backlog', ...peerSides.map(({ template }) => template)]);
  for (const template of templates) await postgres.drop(template);
};

/** What every delivery round is told, whoever plays it. */
export const deliveryInput = (
  { plan, encryptionKey }: MeasureTools,
  stub: PartnerStub,
): Omit<RoundInput, 'databaseUrl'> => ({
  stubOrigin: stub.origin,
  encryptionKey,
  ...plan.delivery,
  concurrency: plan.deliveryConcurrency,
  secondsMax: plan.roundSecondsMax,
  kafka: null,
});

export const oursSettings = ({ deliveryConcurrency }: BenchPlan): string =>
  `one process, limits.concurrency ${deliveryConcurrency}, else defaults`;

/** Ourselves: in one process, and in two. */
const ourEntrants = (tools: MeasureTools, stub: PartnerStub): Entrant[] => {
  const { plan } = tools;
  const base = deliveryInput(tools, stub);
  const verify = async (round: FinishedRound): Promise<void> => {
    await verifyDrained(round);
    await verifyStub(stub, { done: round.done, mayBeMore: false, isOrdered: true });
  };
  const settings = oursSettings(plan);
  return [
    { name: 'delivery', label: 'loyaltyd', settings, template: 'backlog', input: base, verify },
    {
      name: twoProcesses,
      program: 'delivery-fleet',
      isProfiled: false,
      label: 'loyaltyd, two processes',
      settings: `two processes, limits.concurrency ${plan.deliveryConcurrency} together, else defaults`,
      template: 'backlog',
      input: { ...base, processes: 2 },
      verify,
    },
  ];
};

/** A peer as it is, and where that is measured, with the rows of our attempts. */
const peerEntrants = (tools: MeasureTools, stub: PartnerStub, side: PeerSide): Entrant[] => {
  const { plan } = tools;
  const { name, label, template, isOrdered, ways } = side;
  const input = { ...deliveryInput(tools, stub), concurrency: plan.concurrency, secondsMax: plan.peerSecondsMax };
  const settings = JSON.stringify(side.settings);
  const asItIs: Entrant = {
    name,
    label,
    settings,
    template,
    input,
    verify: ({ done }) => verifyStub(stub, { done, mayBeMore: true, isOrdered }),
  };
  const recording: Entrant = {
    ...asItIs,
    name: withRows(name),
    program: name,
    label: `${label}, with attempt rows`,
    input: { ...input, attemptRows: eventRowsPerAttempt },
    verify: async (round) => {
      await asItIs.verify(round);
      await verifyAttemptRows(round);
    },
  };
  return ways.map((way) => (way === 'as it is' ? asItIs : recording));
};

const engineEntrants = (tools: MeasureTools, stub: PartnerStub): Entrant[] =>
  engineSides.map(({ name, label, settings, template }) => ({
    name,
    label,
    settings: JSON.stringify(settings),
    template,
    input: { ...deliveryInput(tools, stub), ...tools.plan.durableExecution, secondsMax: tools.plan.peerSecondsMax },
    verify: ({ done }) => verifyStub(stub, { done, mayBeMore: true, isOrdered: true }),
  }));

const loopEntrants = (tools: MeasureTools, stub: PartnerStub): Entrant[] =>
  loopSides.map(({ name, label }) => ({
    name,
    label,
    settings: `${tools.plan.concurrency} requests at once`,
    template: null,
    input: { ...deliveryInput(tools, stub), concurrency: tools.plan.concurrency },
    verify: ({ done }) => verifyStub(stub, { done, mayBeMore: false, isOrdered: true }),
  }));

/** Fills the templates and starts the stub. */
export const deliveryMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { plan, postgres, say } = tools;
  const { members, intentsPerMember } = plan.delivery;
  say(`delivery: recording a backlog of ${members * intentsPerMember} intents of ${members} members`);
  await fillTemplates(tools);
  const stub = await startStub();
  return {
    name: 'delivery',
    unit: 'intents/s',
    stub,
    entrants: [
      ...ourEntrants(tools, stub),
      ...peerSides.flatMap((side) => peerEntrants(tools, stub, side)),
      ...engineEntrants(tools, stub),
      ...loopEntrants(tools, stub),
    ],
    budgetsOf: ['delivery', graphileTuned, bareLoop],
    bars: deliveryBars,
    notes: deliveryNotes,
    beforeRound: () => stub.reset(),
    stop: async () => {
      await stub.stop();
      await dropTemplates(postgres);
    },
  };
};
