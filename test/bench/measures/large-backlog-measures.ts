import { fillPending } from '../backlog/fill-tables.js';
import { otherProgramName, programName } from '../bench-parts.js';
import type { BacklogPlan } from '../bench-plan.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Bar } from '../report/bench-report.js';
import { startStub } from '../stub/start-stub.js';
import { deliveryInput, oursSettings, verifyStub } from './delivery-measure.js';
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
