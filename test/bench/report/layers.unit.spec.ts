import { type CpuProfile, layersOf } from './layers.js';

type Node = CpuProfile['nodes'][number];

const node = (id: number, callFrame: Node['callFrame'], children: number[] = []): Node => ({ id, callFrame, children });
const frame = (functionName: string, url: string): Node['callFrame'] => ({ functionName, url });

describe('where a process spent its time', () => {
  const profile: CpuProfile = {
    startTime: 5_000_000,
    nodes: [
      node(1, frame('(root)', ''), [2, 3, 4, 7]),
      node(2, frame('(idle)', '')),
      node(3, frame('seal', 'file:///x/libs/platform/src/crypto/sealing.js'), [5]),
      node(4, frame('query', 'file:///x/node_modules/pg/lib/client.js'), [6]),
      node(5, frame('toString', 'node:buffer')),
      node(6, frame('writev', '')),
      node(7, frame('processTicks', 'node:internal/process')),
    ],
    samples: [2, 3, 5, 6, 7, 4],
    timeDeltas: [900, 10, 20, 40, 20, 10],
  };

  it('is told by layer, a helper counted to whoever called it, idle time to nobody', () => {
    expect(layersOf(profile)).toEqual([
      { layer: 'writing to sockets', share: 40 },
      { layer: 'encryption and digests', share: 30 },
      { layer: 'Node and the rest', share: 20 },
      { layer: 'Postgres driver and port', share: 10 },
    ]);
  });

  it('is told from a time on', () => {
    expect(layersOf(profile, 5_000.98)).toEqual([
      { layer: 'Node and the rest', share: 66.7 },
      { layer: 'Postgres driver and port', share: 33.3 },
    ]);
  });

  it('leaves out what is hardly there', () => {
    const samples = [...profile.samples, ...Array.from({ length: 1 }, () => 4)];
    const rare = { ...profile, samples, timeDeltas: [0, 10_000, 0, 0, 0, 1, 1] };
    expect(layersOf(rare)).toEqual([{ layer: 'encryption and digests', share: 100 }]);
  });
});
