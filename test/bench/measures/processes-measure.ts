import type { Entrant } from '../rounds/entrant.js';
import { startStub } from '../stub/start-stub.js';
import { deliveryInput } from './delivery-measure.js';
import type { Measure, MeasureTools } from './measure.js';
import { intentsPerMember, pendingTemplate } from './pending-template.js';
import { verifyDrained, verifyStub } from './verify-delivery.js';

const counts = [1, 2, 4];

const notes = [
  'All of them together, from the first start to the last delivery; their concurrency is shared.',
  'One stub and one Postgres on the same machine: with few cores more processes take from each other.',
];

/** Delivery by several processes on one database. */
export const processesMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { intents, rounds } = tools.plan.processes;
  const template = await pendingTemplate(tools, intents);
  const stub = await startStub();
  const entrant = (processes: number): Entrant => ({
    name: `processes-${processes}`,
    program: 'delivery-fleet',
    // Its members inherit the flags, and would all write the same file.
    isProfiled: false,
    label: processes === 1 ? 'one process' : `${processes} processes`,
    settings: `limits.concurrency ${tools.plan.deliveryConcurrency} over all processes, else defaults`,
    template,
    input: { ...deliveryInput(tools, stub), members: intents / intentsPerMember, intentsPerMember, processes },
    verify: async (round) => {
      await verifyDrained(round);
      await verifyStub(stub, { done: intents, mayBeMore: false, isOrdered: true });
    },
  });
  return {
    name: 'processes',
    unit: 'intents/s',
    entrants: counts.map(entrant),
    bars: [],
    notes,
    rounds,
    beforeRound: () => stub.reset(),
    stop: () => stub.stop(),
  };
};
