import pg from 'pg';

import { fillPending } from '../backlog/fill-tables.js';
import { otherProgramName, programName } from '../bench-parts.js';
import type { BacklogPlan } from '../bench-plan.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Bar } from '../report/bench-report.js';
import { startStub } from '../stub/start-stub.js';
import { deliveryInput, oursSettings, verifyDrained, verifyStub } from './delivery-measure.js';
import type { Entrant, FinishedRound, Measure, MeasureTools } from './measure.js';

/** As in the measure of delivery. */
const intentsPerMember = 5;

/** A template with a large backlog; made when it is first asked for, and kept for the measures that follow. */
const pendingTemplate = async (
  { postgres, encryptionKey, say }: MeasureTools,
  intents: number,
  pausedLanes = 0,
): Promise<string> => {
  const name = `pending_${intents}_${pausedLanes}`;
  if (postgres.has(name)) return name;
  say(`filling a database with ${intents} pending intents and ${pausedLanes} of a paused program`);
  const size = { members: intents / intentsPerMember, intentsPerMember, pausedLanes };
  await fillPending(await postgres.create(name), encryptionKey, size);
  return name;
};

const small = 'small';
const middle = 'middle';
const large = 'large';
const beside = 'beside-paused';

const backlogNotes = [
  'From the start until so many deliveries are recorded; what else is pending stays.',
  'The paused program has as many lanes due as the large backlog has intents.',
];

const number = (value: number): string => value.toLocaleString('en-US');

const barsOf = ({ large: pending, small: smallPending }: BacklogPlan): readonly Bar[] => [
  {
    text: `rate with ${number(pending)} pending >= 95 % of that with ${number(smallPending)}`,
    of: large,
    atLeast: 0.95,
    against: [small],
  },
  {
    text: `a paused program with ${number(pending)} lanes due costs the others < 5 %`,
    of: beside,
    atLeast: 0.95,
    against: [small],
  },
];

/** So many are recorded, and nobody of the paused program was begun. */
const verifyStore = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const [row] = await runSql<{ applied: number; others: number }>(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE e.type = 'AttemptApplied')::int AS applied,
       count(*) FILTER (WHERE l.program_id <> '${programName}')::int AS others
     FROM intent_history e JOIN lane l USING (lane_id)`,
  );
  if (row?.others === 0 && row.applied >= done) return;
  throw new Error(`the event store does not show ${done} deliveries: ${JSON.stringify(row)}`);
};

/** The first deliveries of a small and of a large backlog, and beside a large one that is paused. */
export const backlogMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { backlog } = tools.plan;
  const templates = {
    [small]: await pendingTemplate(tools, backlog.small),
    [middle]: await pendingTemplate(tools, backlog.middle),
    [large]: await pendingTemplate(tools, backlog.large),
    [beside]: await pendingTemplate(tools, backlog.small, backlog.large),
  };
  const stub = await startStub();
  const entrant = (name: keyof typeof templates, label: string, intents: number): Entrant => ({
    name,
    program: 'delivery',
    label,
    settings: oursSettings(tools.plan),
    template: templates[name],
    input: {
      ...deliveryInput(tools, stub),
      members: intents / intentsPerMember,
      intentsPerMember,
      until: { deliveries: backlog.deliveries },
      programs: [programName, otherProgramName],
    },
    verify: async (round) => {
      await verifyStore(round);
      await verifyStub(stub, { done: round.done, mayBeMore: true, isOrdered: true });
    },
  });
  return {
    name: 'backlog',
    unit: 'intents/s',
    stub,
    entrants: [
      entrant(large, `${number(backlog.large)} pending`, backlog.large),
      entrant(middle, `${number(backlog.middle)} pending`, backlog.middle),
      entrant(small, `${number(backlog.small)} pending`, backlog.small),
      entrant(beside, `${number(backlog.small)} pending, ${number(backlog.large)} paused`, backlog.small),
    ],
    budgetsOf: [large, small],
    bars: barsOf(backlog),
    notes: [...backlogNotes, `Timed: the first ${number(backlog.deliveries)} deliveries.`],
    rounds: backlog.rounds,
    beforeRound: () => stub.reset(),
    stop: () => stub.stop(),
  };
};

const counts = [1, 2, 4];

const processesNotes = [
  'All together, from the first start to the last delivery; they share the concurrency.',
  'One stub and one Postgres on the same machine: with few cores processes take from each other.',
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
    stub,
    entrants: counts.map(entrant),
    bars: [],
    notes: processesNotes,
    rounds,
    beforeRound: () => stub.reset(),
    stop: () => stub.stop(),
  };
};

const snapshotNotes = ['Another session holds one snapshot all the while: no old row version can be removed.'];

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
    stub,
    entrants: [
      entrant('snapshot-held', `${seconds} s beside a held snapshot`, holdSnapshot),
      entrant('snapshot-free', `${seconds} s without`),
    ],
    bars: [],
    notes: snapshotNotes,
    rounds,
    beforeRound: () => stub.reset(),
    stop: () => stub.stop(),
  };
};
