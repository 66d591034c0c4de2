import { fillStore, hotMemberId } from '../backlog/fill-store.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Bar } from '../report/bench-report.js';
import { startStub } from '../stub/start-stub.js';
import { verifyStub } from './verify-round.js';
import type { Entrant, FinishedRound, Measure, MeasureTools } from './measure.js';

const crowded = 'crowded';
const alone = 'alone';

const bars: readonly Bar[] = [
  {
    text: 'others keep >= 0.9 of their rate beside 10,000 blocked lanes and one of 50,000 intents',
    atLeast: 0.9,
    against: [alone],
  },
];

const notes = ['Rates without what the long lane delivers.'];

/** Nobody blocked was begun, and the others are done. */
const verifyCrowd = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const [row] = await runSql<{ begunBlocked: number; applied: number }>(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE l.state = 'blocked')::int AS "begunBlocked",
       count(*) FILTER (WHERE e.type = 'AttemptApplied')::int AS applied
     FROM intent_history e JOIN lane l USING (lane_id)`,
  );
  if (row?.begunBlocked === 0 && row.applied >= done) return;
  throw new Error(`the event store does not show ${done} deliveries: ${JSON.stringify(row)}`);
};

/** The same backlog alone, and in a crowd. */
export const crowdMeasure = async ({ plan, postgres, encryptionKey, say }: MeasureTools): Promise<Measure> => {
  const { members, intentsPerMember } = plan.delivery;
  say(`crowd: recording ${plan.crowd.blockedLanes} blocked lanes and one of ${plan.crowd.hotIntents} intents`);
  await fillStore(await postgres.create('uncrowded'), encryptionKey, plan.delivery);
  await fillStore(await postgres.create('crowded'), encryptionKey, { ...plan.delivery, crowd: plan.crowd });
  const stub = await startStub();
  const entrant = (name: string, label: string, template: string): Entrant => ({
    name,
    program: 'delivery',
    label,
    settings: `one process, limits.concurrency ${plan.deliveryConcurrency}, else defaults`,
    template,
    input: {
      stubOrigin: stub.origin,
      encryptionKey,
      members,
      intentsPerMember,
      concurrency: plan.deliveryConcurrency,
      secondsMax: plan.roundSecondsMax,
      kafka: null,
      ...(name === crowded ? { notAwaited: hotMemberId(plan.delivery) } : {}),
    },
    verify: async (round) => {
      await verifyCrowd(round);
      await verifyStub(stub, { done: round.done, mayBeMore: true, isOrdered: true });
    },
  });
  return {
    name: 'crowd',
    unit: 'intents/s',
    stub,
    entrants: [
      entrant(crowded, 'loyaltyd, in a crowd', 'crowded'),
      entrant(alone, 'loyaltyd, the same backlog alone', 'uncrowded'),
    ],
    bars,
    notes,
    beforeRound: () => stub.reset(),
    stop: () => stub.stop(),
  };
};
