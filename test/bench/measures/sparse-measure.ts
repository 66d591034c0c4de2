import { fillStore } from '../backlog/fill-store.js';
import type { Bar } from '../report/bench-report.js';
import { startStub } from '../stub/start-stub.js';
import { bothQueues, fillPeers, nameOf, ourEntrant, peerEntrant } from './beside-peers.js';
import type { Measure, MeasureTools } from './measure.js';

const template = 'sparse';
const peers = ([1, 2] as const).flatMap((processes) => bothQueues({ isOrdered: true, way: 'as it is', processes }));
const [graphile = '', pgBoss = '', graphiles = '', pgBosses = ''] = peers.map(nameOf);

const bars: readonly Bar[] = [
  { text: 'one process >= 3 x graphile-worker as it is', atLeast: 3, against: [graphile] },
  { text: 'one process >= 5 x pg-boss as it is', atLeast: 5, against: [pgBoss] },
  { text: 'two processes >= 3 x two of graphile-worker', of: 'delivery-2', atLeast: 3, against: [graphiles] },
  { text: 'two processes >= 5 x two of pg-boss', of: 'delivery-2', atLeast: 5, against: [pgBosses] },
];

/** One intent of each member, as loyalty programmes have it. */
export const sparseMeasure = async (tools: MeasureTools): Promise<Measure> => {
  const { plan, postgres, encryptionKey, say } = tools;
  const { size, rounds, peerSecondsMax } = plan.sparse;
  say(`sparse: recording a backlog of ${size.members} members with ${size.intentsPerMember} intent each`);
  await fillStore(await postgres.create(template), encryptionKey, size);
  const dropPeers = await fillPeers(tools, template, size, peers);
  const stub = await startStub();
  return {
    name: 'sparse',
    unit: 'intents/s',
    stub,
    rounds,
    entrants: [
      ...([1, 2] as const).map((processes) => ourEntrant(tools, stub, { size, processes, template })),
      ...peers.map((peer) => peerEntrant(tools, stub, peer, { name: template, size, peerSecondsMax })),
    ],
    budgetsOf: ['delivery'],
    bars,
    notes: [
      `Each member has one intent (job): what is shared by a member's intents in \`delivery\`, keys, claims and begins, is paid for each. From start to drained; a peer that takes longer than ${peerSecondsMax} s stops there, and is judged by what it has done. Peers' jobs are in the clear, as their users would have them.`,
    ],
    beforeRound: () => stub.reset(),
    stop: async () => {
      await stub.stop();
      await dropPeers();
      await postgres.drop(template);
    },
  };
};
