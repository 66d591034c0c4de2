import { fillGraphile } from '../backlog/fill-graphile.js';
import { fillStore } from '../backlog/fill-store.js';
import type { RoundInput } from '../contestants/contestant.js';
import { plainSettings, tunedSettings } from '../contestants/graphile.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Entrant, FinishedRound } from '../rounds/entrant.js';
import { type PartnerStub, startStub } from '../stub/start-stub.js';
import type { Bar, Measure, MeasureTools } from './measure.js';

const ours = 'delivery';
const plain = 'graphile-plain';
const tuned = 'graphile-tuned';
const bare = 'bare-loop';

const bars: readonly Bar[] = [
  {
    text: '>= 5 x graphile-worker with one named queue per member (the configuration of design.md section 11)',
    atLeast: 5,
    against: plain,
    decides: true,
  },
  {
    text: '>= 10 x graphile-worker with one named queue per member (design.md section 11)',
    atLeast: 10,
    against: plain,
    decides: false,
  },
  {
    text: '>= 5 x graphile-worker with one named queue per member, local queue and batched completion',
    atLeast: 5,
    against: tuned,
    decides: false,
  },
  {
    text: '>= 50 % of a bare loop of the same HTTP client (design.md section 11)',
    atLeast: 0.5,
    against: bare,
    decides: false,
  },
];

const notes = [
  'Rates from start to drained: intents (jobs, calls) per second, all members in order, everything recorded durably.',
  'A failing job of a named queue is overtaken by the next one in the queue; a lane waits for its intent.',
  'graphile-worker 0.17 ran jobs of one named queue at once when its local queue was on; 0.18.0 does not.',
];

/** What the stub and the database must show after our round: every intent once, in order, begun before it was sent. */
const verifyOurs = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const [row] = await runSql<{ begun: number; applied: number; events: number; busy: number }>(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE type = 'AttemptBegun')::int AS begun,
       count(*) FILTER (WHERE type = 'AttemptApplied' AND sealed IS NOT NULL)::int AS applied, count(*)::int AS events,
       (SELECT count(*) FROM lane WHERE due_at IS NOT NULL OR owner IS NOT NULL OR cur_seq <= tail_seq)::int AS busy
     FROM intent_event`,
  );
  const isRight = row?.begun === done && row.applied === done && row.events === 2 * done && row.busy === 0;
  if (!isRight) throw new Error(`the event store does not show ${done} deliveries: ${JSON.stringify(row)}`);
};

const verifyStub = async (stub: PartnerStub, done: number, mayBeMore: boolean): Promise<void> => {
  const counts = await stub.counts();
  const { applied, duplicates, outOfOrder, unreadable } = counts;
  const isCount = mayBeMore ? applied >= done : applied === done;
  if (!isCount || duplicates + outOfOrder + unreadable > 0) {
    throw new Error(`the partner stub saw ${JSON.stringify(counts)} instead of ${done} in order`);
  }
};

/** Fills the templates and starts the stub. */
export const deliveryMeasure = async ({ plan, postgres, encryptionKey, say }: MeasureTools): Promise<Measure> => {
  const { members, intentsPerMember } = plan.delivery;
  say(`delivery: recording a backlog of ${members * intentsPerMember} intents of ${members} members`);
  await fillStore(await postgres.create('backlog'), encryptionKey, plan.delivery);
  await fillGraphile(await postgres.create('jobs'), plan.delivery);
  const stub = await startStub();
  const input = (concurrency: number, secondsMax: number): Omit<RoundInput, 'databaseUrl'> => ({
    stubOrigin: stub.origin,
    encryptionKey,
    members,
    intentsPerMember,
    concurrency,
    secondsMax,
    kafka: null,
  });
  const entrant = (name: string, label: string, rest: Pick<Entrant, 'settings' | 'template'>): Entrant => {
    const mayStopEarly = name === plain || name === tuned;
    return {
      name,
      label,
      ...rest,
      mayStopEarly,
      input: input(
        name === ours ? plan.deliveryConcurrency : plan.concurrency,
        mayStopEarly ? plan.peerSecondsMax : plan.roundSecondsMax,
      ),
      verify: async (round) => {
        if (name === ours) await verifyOurs(round);
        await verifyStub(stub, round.done, mayStopEarly);
      },
    };
  };
  const concurrency = `${plan.concurrency} requests at once`;
  return {
    name: 'delivery',
    unit: 'intents/s',
    entrants: [
      entrant(ours, 'loyaltyd', {
        settings: `one process, limits.concurrency ${plan.deliveryConcurrency}, else defaults`,
        template: 'backlog',
      }),
      entrant(plain, 'graphile-worker, named queues', { settings: JSON.stringify(plainSettings), template: 'jobs' }),
      entrant(tuned, 'graphile-worker, named + local queue', {
        settings: JSON.stringify(tunedSettings),
        template: 'jobs',
      }),
      entrant(bare, 'bare loop of the HTTP client', { settings: concurrency, template: null }),
      entrant('gateway-loop', 'loop of our gateway, no database', { settings: concurrency, template: null }),
    ],
    bars,
    notes,
    beforeRound: () => stub.reset(),
    stop: () => stub.stop(),
  };
};
