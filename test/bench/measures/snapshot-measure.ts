import pg from 'pg';
import type { Entrant } from '../rounds/entrant.js';
import { startStub } from '../stub/start-stub.js';
import { deliveryInput, oursSettings } from './delivery-measure.js';
import type { Measure, MeasureTools } from './measure.js';
import { intentsPerMember, pendingTemplate } from './pending-template.js';
import { verifyStub } from './verify-delivery.js';

const notes = [
  'Another session holds one snapshot all the while: no row version that a delivery leaves behind can be removed.',
];

/** A session that has read once and does not end its transaction. */
const holdSnapshot = async (databaseUrl: string): Promise<() => Promise<void>> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM lane');
  return () => client.end();
};

/** Delivery for a while, with and without a session that holds a snapshot. */
export const snapshotMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { intents, seconds, rounds } = tools.plan.snapshot;
  const template = await pendingTemplate(tools, intents);
  const stub = await startStub();
  const entrant = (name: string, label: string, beside?: Entrant['beside']): Entrant => ({
    name,
    program: 'delivery',
    label,
    settings: `${seconds} s; ${oursSettings(tools.plan)}`,
    template,
    input: {
      ...deliveryInput(tools, stub),
      members: intents / intentsPerMember,
      intentsPerMember,
      until: { seconds },
    },
    ...(beside === undefined ? {} : { beside }),
    verify: ({ done }) => verifyStub(stub, { done, mayBeMore: true, isOrdered: true }),
  });
  return {
    name: 'snapshot',
    unit: 'intents/s',
    entrants: [
      entrant('snapshot-held', `${seconds} s beside a held snapshot`, holdSnapshot),
      entrant('snapshot-free', `${seconds} s without`),
    ],
    bars: [],
    notes,
    rounds,
    beforeRound: () => stub.reset(),
    stop: () => stub.stop(),
  };
};
