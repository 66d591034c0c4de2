import type { BenchPlan } from '../bench-plan.js';
import { fillGraphile } from '../backlog/fill-graphile.js';
import { fillPgBoss } from '../backlog/fill-pg-boss.js';
import { fillStore } from '../backlog/fill-store.js';
import type { RoundInput } from '../contestants/contestant.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import type { Entrant } from '../rounds/entrant.js';
import { type PartnerStub, startStub } from '../stub/start-stub.js';
import { deliveryBars, deliveryNotes, type DeliverySide, loopSides, peerSides } from './delivery-sides.js';
import type { Measure, MeasureTools } from './measure.js';
import { verifyDrained, verifyStub } from './verify-delivery.js';

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
