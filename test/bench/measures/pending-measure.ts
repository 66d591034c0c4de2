import { fillPending } from '../backlog/fill-tables.js';
import { otherProgramName, programName } from '../bench-parts.js';
import type { Bar } from '../report/bench-report.js';
import { startStub } from '../stub/start-stub.js';
import { bothQueues, fillPeers, nameOf, ourEntrant, peerEntrant } from './beside-peers.js';
import type { Entrant, Measure, MeasureTools } from './measure.js';

/** As in the measure of delivery. */
const intentsPerMember = 5;
const race = 'pending';
const peers = bothQueues({ isOrdered: true, way: 'as it is', processes: 1 });
const fewer = 'fewer';
const beside = 'beside-paused';

const number = (value: number): string => value.toLocaleString('en-US');

const barsOf = (large: number, middle: number): readonly Bar[] => [
  { text: '>= 1.5 x the best ordered peer as it is', atLeast: 1.5, against: peers.map(nameOf) },
  { text: `>= 0.9 x the rate with ${number(middle)} pending`, atLeast: 0.9, against: [fewer] },
  {
    text: `a paused program with ${number(large)} lanes due: others keep >= 0.9 of their rate`,
    of: beside,
    atLeast: 0.9,
    against: [fewer],
  },
];

/** The first deliveries of a large and of a smaller backlog, and beside a large one that is paused. */
export const pendingMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { postgres, encryptionKey, say, plan } = tools;
  const { large, middle, deliveries, peerSecondsMax, rounds } = plan.pending;
  const until = { deliveries };
  const sizeOf = (intents: number) => ({ members: intents / intentsPerMember, intentsPerMember });
  const stub = await startStub();
  const templates: string[] = [];
  const ours = async (name: string, intents: number, pausedLanes = 0): Promise<Entrant> => {
    const paused = pausedLanes === 0 ? '' : `, ${number(pausedLanes)} of a paused program`;
    const label = `loyaltyd, ${number(intents)} pending${paused}`;
    const template = `${race}_${intents}_${pausedLanes}`;
    say(`filling a database: ${label}`);
    await fillPending(await postgres.create(template), encryptionKey, { ...sizeOf(intents), pausedLanes });
    templates.push(template);
    const entrant = ourEntrant(tools, stub, { name, label, processes: 1, template, size: sizeOf(intents), until });
    return { ...entrant, input: { ...entrant.input, programs: [programName, otherProgramName] } };
  };
  const entrants = [await ours(race, large), await ours(fewer, middle), await ours(beside, middle, large)];
  const size = sizeOf(large);
  const dropPeers = await fillPeers(tools, race, size, peers);
  return {
    name: race,
    unit: 'intents/s',
    stub,
    rounds,
    entrants: [
      ...entrants,
      ...peers.map((peer) => peerEntrant(tools, stub, peer, { name: race, size, until, peerSecondsMax })),
    ],
    budgetsOf: [race, fewer],
    bars: barsOf(large, middle),
    notes: [
      `Timed: the first ${number(deliveries)} deliveries, or ${peerSecondsMax} s of a peer; what else is pending stays, ${number(large)} intents (jobs) of ${number(size.members)} members. A paused program has as many lanes due.`,
    ],
    beforeRound: () => stub.reset(),
    stop: async () => {
      await stub.stop();
      await dropPeers();
      for (const template of templates) await postgres.drop(template);
    },
  };
};
