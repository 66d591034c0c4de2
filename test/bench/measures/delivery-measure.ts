import { fillStore } from '../backlog/fill-store.js';
import { restateProgram, restateSettings } from '../contestants/restate.js';
import type { Bar } from '../report/bench-report.js';
import type { PartnerStub } from '../stub/start-stub.js';
import { startStub } from '../stub/start-stub.js';
import { bothQueues, fillPeers, nameOf, ourEntrant, peerEntrant, raceInput } from './beside-peers.js';
import type { Entrant, Measure, MeasureTools } from './measure.js';
import { verifyStub } from './verify-round.js';

const template = 'backlog';
const bareLoop = 'bare-loop';
const restate = 'restate';

const ordered = bothQueues({ isOrdered: true, way: 'as it is', processes: 1 });
const orderedTwice = bothQueues({ isOrdered: true, way: 'as it is', processes: 2 });
const sealed = bothQueues({ isOrdered: true, way: 'sealed', processes: 1 });
const withRows = bothQueues({ isOrdered: true, way: 'with rows', processes: 1 });
const unordered = bothQueues({ isOrdered: false, way: 'as it is', processes: 1 });
const peers = [...ordered, ...orderedTwice, ...sealed, ...withRows, ...unordered];

/** An engine of durable execution: each call is a step whose result it keeps. */
const engineSides = [
  {
    name: restate,
    label: 'Restate, virtual object per member',
    settings: restateSettings,
    template: null,
    isThere: restateProgram() !== null,
  },
].filter(({ isThere }) => isThere);

const engines = engineSides.map(({ name }) => name);

/** Loops without a database. */
const loopSides = [
  { name: bareLoop, label: 'bare loop of the HTTP client' },
  { name: 'gateway-loop', label: 'loop of our gateway, no database' },
] as const;

const deliveryBars: readonly Bar[] = [
  {
    text: 'one process >= 0.75 x the best ordered peer as it is: graphile-worker local queue, pg-boss batches',
    atLeast: 0.75,
    against: ordered.map(nameOf),
  },
  {
    text: 'two processes >= 0.75 x two of the best ordered peer',
    of: 'delivery-2',
    atLeast: 0.75,
    against: orderedTwice.map(nameOf),
  },
  {
    text: 'one process >= 1 x the best ordered peer whose payloads are sealed and whose attempts have rows',
    atLeast: 1,
    against: withRows.map(nameOf),
  },
  {
    text: '>= 0.75 x the best unordered peer as it is: graphile-worker with its local queue, pg-boss in batches',
    atLeast: 0.75,
    against: unordered.map(nameOf),
  },
  { text: '>= 5 x an engine of durable execution: Restate', atLeast: 5, against: engines },
  {
    text: '<= 1 x the least processor time per intent of this engine, its server included',
    figure: 'allCpu',
    atMost: 1,
    against: engines,
  },
  { text: '>= 0.35 x a bare loop of the same HTTP client', atLeast: 0.35, against: [bareLoop] },
  {
    text: '<= 45 us of processor time per intent on top of the bare HTTP client',
    figure: 'cpu',
    atMost: 45,
    against: [bareLoop],
  },
  { text: '<= 35 us of processor time of Postgres per intent', figure: 'serverCpu', atMost: 35, against: [] },
  { text: '<= 900 bytes of write-ahead log per intent', figure: 'wal', atMost: 900, against: [] },
  { text: '< 0.1 statements per intent', figure: 'statements', atMost: 0.1, against: [] },
];

const deliveryNotes: readonly string[] = [
  'Rates from start to drained: intents (jobs, calls) per second, everything recorded durably. All members in order, except with entrants that say unordered; two processes beside two.',
  "What is committed before a call: graphile-worker's `get_jobs` writes attempts + 1, `locked_at` and `locked_by` of every job that it takes, pg-boss' fetch the state `active` and the number of the try; neither says which of them was sent. A lane writes of each attempt that it begins, before it is sent; after the call its answer, sealed. What that tells after a crash is in `doubts`.",
  `As it is: jobs of some 30 bytes in the clear. Payload sealed: what an intent of ours carries, with a key of its member, opened before the call. Attempt rows: one for each attempt like ours, the answer sealed; that it was begun is committed before the call. Batches have them in their own transactions; in group commits they share one with other jobs' rows.`,
  'In a named queue the next job overtakes a failing one; a lane waits for its intent.',
  'Restate drains a smaller backlog, which it has taken in before the time runs: it keeps the answer as the result of a step, and of what comes before the call that the invocation began.',
  ...(engines.includes(restate) ? [] : ['No server of Restate is published for this platform.']),
  'All CPU: of the entrant, its server and the stub of the partner together. At best: what the cores could do if none ever waited.',
];

const engineEntrants = (tools: MeasureTools, stub: PartnerStub): Entrant[] =>
  engineSides.map(({ name, label, settings, template }) => ({
    name,
    label,
    settings: JSON.stringify(settings),
    template,
    input: {
      ...raceInput(tools, stub, { size: tools.plan.durableExecution }),
      secondsMax: tools.plan.peerSecondsMax,
    },
    verify: ({ done }) => verifyStub(stub, { done, mayBeMore: true, isOrdered: true }),
  }));

const loopEntrants = (tools: MeasureTools, stub: PartnerStub): Entrant[] =>
  loopSides.map(({ name, label }) => ({
    name,
    label,
    settings: `${tools.plan.concurrency} requests at once`,
    template: null,
    input: { ...raceInput(tools, stub, { size: tools.plan.delivery }), concurrency: tools.plan.concurrency },
    verify: ({ done }) => verifyStub(stub, { done, mayBeMore: false, isOrdered: true }),
  }));

/** Fills the templates and starts the stub. */
export const deliveryMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { plan, postgres, encryptionKey, say } = tools;
  const { delivery: size, peerSecondsMax } = plan;
  say(`delivery: recording a backlog of ${size.members * size.intentsPerMember} intents of ${size.members} members`);
  await fillStore(await postgres.create(template), encryptionKey, size);
  const dropPeers = await fillPeers(tools, template, size, peers);
  const stub = await startStub();
  return {
    name: 'delivery',
    unit: 'intents/s',
    stub,
    entrants: [
      ...([1, 2] as const).map((processes) => ourEntrant(tools, stub, { size, processes, template })),
      ...peers.map((peer) => peerEntrant(tools, stub, peer, { name: template, size, peerSecondsMax })),
      ...engineEntrants(tools, stub),
      ...loopEntrants(tools, stub),
    ],
    budgetsOf: ['delivery', ...ordered.slice(0, 1).map(nameOf), bareLoop],
    bars: deliveryBars,
    notes: deliveryNotes,
    beforeRound: () => stub.reset(),
    stop: async () => {
      await stub.stop();
      await dropPeers();
      await postgres.drop(template);
    },
  };
};
