import { plainSettings, tunedSettings } from '../contestants/graphile.js';
import { batchedSettings, oneByOneSettings } from '../contestants/pg-boss.js';
import type { Bar } from './bar.js';

const graphilePlain = 'graphile-plain';
const graphileTuned = 'graphile-tuned';
const graphileUnordered = 'graphile-unordered';
const pgBossOrdered = 'pg-boss-ordered';
const pgBossBatched = 'pg-boss-batched';
const pgBossUnordered = 'pg-boss-unordered';
const bareLoop = 'bare-loop';

/** One way to deliver the same backlog. */
export interface DeliverySide {
  readonly name: string;
  readonly label: string;
  /** The loops have none of their own. */
  readonly settings: object | null;
  readonly template: string | null;
  /** A member's calls one after the other. */
  readonly isOrdered: boolean;
}

/** Job queues: what is slow may stop early. */
export const peerSides: readonly DeliverySide[] = [
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
export const loopSides: readonly DeliverySide[] = [
  { name: bareLoop, label: 'bare loop of the HTTP client', settings: null, template: null, isOrdered: true },
  { name: 'gateway-loop', label: 'loop of our gateway, no database', settings: null, template: null, isOrdered: true },
];

export const deliveryBars: readonly Bar[] = [
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

export const deliveryNotes: readonly string[] = [
  'Rates from start to drained: intents (jobs, calls) per second, everything recorded durably.',
  'All members in order, but for the entrants that say unordered: those promise no order at all.',
  'A failing job of a named queue is overtaken by the next one in the queue; a lane waits for its intent.',
  'A queue records a job once it is done; a lane records each attempt before it is sent, and its answer.',
  'A batch of pg-boss is completed as a whole: after a crash all of its jobs are done again.',
  'graphile-worker 0.17 ran jobs of one named queue at once when its local queue was on; 0.18.0 does not.',
];
