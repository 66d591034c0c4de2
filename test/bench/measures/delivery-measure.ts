import { fillStore } from '../backlog/fill-store.js';
import type { BenchPlan } from '../bench-plan.js';
import type { RoundInput } from '../contestants/contestant.js';
import { fillGraphile, plainSettings, tunedSettings } from '../contestants/graphile.js';
import { batchedSettings, fillPgBoss, oneByOneSettings } from '../contestants/pg-boss.js';
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
       count(*) FILTER (WHERE type = 'AttemptApplied' AND sealed IS NOT NULL)::int AS applied, count(*)::int AS events,
       (SELECT count(*) FROM lane WHERE due_at IS NOT NULL OR owner IS NOT NULL OR cur_seq <= tail_seq)::int AS busy
     FROM intent_history`,
  );
  const isRight = row?.begun === done && row.applied === done && row.events === 2 * done && row.busy === 0;
  if (!isRight) throw new Error(`the event store does not show ${done} deliveries: ${JSON.stringify(row)}`);
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

const graphilePlain = 'graphile-plain';
const graphileTuned = 'graphile-tuned';
const graphileUnordered = 'graphile-unordered';
const pgBossOrdered = 'pg-boss-ordered';
const pgBossBatched = 'pg-boss-batched';
const pgBossUnordered = 'pg-boss-unordered';
const bareLoop = 'bare-loop';

/** One way to deliver the same backlog. */
interface DeliverySide {
  readonly name: string;
  readonly label: string;
  /** The loops have none of their own. */
  readonly settings: object | null;
  readonly template: string | null;
  /** A member's calls one after the other. */
  readonly isOrdered: boolean;
}

/** Job queues: what is slow may stop early. */
const peerSides: readonly DeliverySide[] = [
  {
    name: graphilePlain,
    label: 'graphile-worker, named queues',
    settings: plainSettings,
    template: 'jobs',
    isOrdered: true,
  },
  {
    name: pgBossOrdered,
    label: 'pg-boss, key_strict_fifo, job by job',
    settings: oneByOneSettings,
    template: 'boss_ordered',
    isOrdered: true,
  },
  {
    name: graphileTuned,
    label: 'graphile-worker, named + local queue',
    settings: tunedSettings,
    template: 'jobs',
    isOrdered: true,
  },
  {
    name: pgBossBatched,
    label: 'pg-boss, key_strict_fifo, batches',
    settings: batchedSettings,
    template: 'boss_ordered',
    isOrdered: true,
  },
  {
    name: graphileUnordered,
    label: 'graphile-worker, unordered, local queue',
    settings: tunedSettings,
    template: 'jobs_unordered',
    isOrdered: false,
  },
  {
    name: pgBossUnordered,
    label: 'pg-boss, unordered, batches',
    settings: batchedSettings,
    template: 'boss_unordered',
    isOrdered: false,
  },
];

/** Loops without a database. */
const loopSides: readonly DeliverySide[] = [
  { name: bareLoop, label: 'bare loop of the HTTP client', settings: null, template: null, isOrdered: true },
  { name: 'gateway-loop', label: 'loop of our gateway, no database', settings: null, template: null, isOrdered: true },
];

const deliveryBars: readonly Bar[] = [
  {
    text: '>= 10 x the best ordered peer that takes job by job: graphile-worker named queues, pg-boss key_strict_fifo',
    atLeast: 10,
    against: [graphilePlain, pgBossOrdered],
  },
  {
    text: '>= 1 x the best ordered peer that takes jobs in advance: graphile-worker local queue, pg-boss batches',
    atLeast: 1,
    against: [graphileTuned, pgBossBatched],
  },
  {
    text: '>= 1 x the best unordered peer: graphile-worker with its local queue, pg-boss in batches',
    atLeast: 1,
    against: [graphileUnordered, pgBossUnordered],
  },
  {
    text: '>= 50 % of a bare loop of the same HTTP client',
    atLeast: 0.5,
    against: [bareLoop],
  },
  {
    text: '<= 40 us of processor time per intent on top of the bare HTTP client',
    figure: 'cpu',
    atMost: 40,
    against: [bareLoop],
  },
  { text: '< 0.1 statements per intent', figure: 'statements', atMost: 0.1, against: [] },
];

const deliveryNotes: readonly string[] = [
  'Rates from start to drained: intents (jobs, calls) per second, everything recorded durably.',
  'All members in order, except with entrants that say unordered.',
  'In a named queue the next job overtakes a failing one; a lane waits for its intent.',
  'A queue records a job once it is done; a lane records each attempt before it is sent, and its answer.',
  'A batch of pg-boss is completed as a whole: after a crash all of its jobs are done again.',
  'graphile-worker 0.17 ran jobs of one named queue at once when its local queue was on; 0.18.0 does not.',
];

const fillTemplates = async ({ plan, postgres, encryptionKey }: MeasureTools): Promise<void> => {
  const size = plan.delivery;
  await fillStore(await postgres.create('backlog'), encryptionKey, size);
  await fillGraphile(await postgres.create('jobs'), size, true);
  await fillGraphile(await postgres.create('jobs_unordered'), size, false);
  await fillPgBoss(await postgres.create('boss_ordered'), size, 'key_strict_fifo');
  await fillPgBoss(await postgres.create('boss_unordered'), size, 'standard');
};

const dropTemplates = async (postgres: BenchPostgres): Promise<void> => {
  const templates = new Set(['backlog', ...peerSides.flatMap(({ template }) => template ?? [])]);
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

/** Fills the templates and starts the stub. */
export const deliveryMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { plan, postgres, say } = tools;
  const { members, intentsPerMember } = plan.delivery;
  say(`delivery: recording a backlog of ${members * intentsPerMember} intents of ${members} members`);
  await fillTemplates(tools);
  const stub = await startStub();
  const base = deliveryInput(tools, stub);
  const ours: Entrant = {
    name: 'delivery',
    label: 'loyaltyd',
    settings: oursSettings(plan),
    template: 'backlog',
    input: base,
    verify: async (round) => {
      await verifyDrained(round);
      await verifyStub(stub, { done: round.done, mayBeMore: false, isOrdered: true });
    },
  };
  const other = ({ name, label, settings, template, isOrdered }: DeliverySide, secondsMax: number): Entrant => ({
    name,
    label,
    settings: settings === null ? `${plan.concurrency} requests at once` : JSON.stringify(settings),
    template,
    input: { ...base, concurrency: plan.concurrency, secondsMax },
    verify: ({ done }) => verifyStub(stub, { done, mayBeMore: template !== null, isOrdered }),
  });
  return {
    name: 'delivery',
    unit: 'intents/s',
    entrants: [
      ours,
      ...peerSides.map((side) => other(side, plan.peerSecondsMax)),
      ...loopSides.map((side) => other(side, plan.roundSecondsMax)),
    ],
    bars: deliveryBars,
    notes: deliveryNotes,
    beforeRound: () => stub.reset(),
    stop: async () => {
      await stub.stop();
      await dropTemplates(postgres);
    },
  };
};
