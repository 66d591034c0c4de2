import { setTimeout as delay } from 'node:timers/promises';

import type { Chance } from '../chance.js';
import type { ChaosHouse } from '../installation/chaos-house.js';
import type { ChaosProxy } from '../proxy/chaos-proxy.js';
import type { Link } from '../proxy/link.js';
import { fairWeather, type Weather } from '../proxy/weather.js';
import { type Fault, type Heal, nothingToHeal } from './fault.js';

type Peer = 'partner' | 'postgres' | 'kafka';

const peers: readonly Peer[] = ['partner', 'postgres', 'kafka'];
const cutEveryMs = 250;
const commitsPerLoss = 3;

/** The proxies of some of the daemons; there is one to the partner for all. */
function someProxies(house: ChaosHouse, peer: Peer, chance: Chance): readonly ChaosProxy[] {
  if (peer === 'partner') return [house.partner];
  const all = house.posts.map((post) => post[peer]);
  return chance.shuffled(all).slice(0, chance.between(1, all.length));
}

function weatherFault(
  peer: Peer,
  name: string,
  options: { readonly lastsMs: Fault['lastsMs']; readonly weather: (chance: Chance) => Partial<Weather> },
): Fault {
  return {
    kind: `net-${peer}-${name}`,
    seat: `${peer} network`,
    lastsMs: options.lastsMs,
    ...(peer === 'kafka' ? { needsRealKafka: true } : {}),
    begin: async (house, chance) => {
      const proxies = someProxies(house, peer, chance);
      const weather = { ...fairWeather, ...options.weather(chance) };
      for (const proxy of proxies) proxy.setWeather(weather);
      return async () => {
        for (const proxy of proxies) proxy.setWeather(fairWeather);
      };
    },
  };
}

/** Again and again something happens to some of the connections. */
function cutting(proxies: readonly ChaosProxy[], chance: Chance, cut: (link: Link) => void): Heal {
  const stop = new AbortController();
  const share = 0.1 + chance.unit() * 0.5;
  const work = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      for (const link of proxies.flatMap(({ links }) => links)) if (chance.isLucky(share)) cut(link);
      await delay(cutEveryMs);
    }
  })();
  return async () => {
    stop.abort();
    await work;
  };
}

function cutFault(peer: Peer, name: string, cut: (link: Link, chance: Chance) => void): Fault {
  return {
    kind: `net-${peer}-${name}`,
    seat: `${peer} network`,
    lastsMs: [1_500, 4_000],
    ...(peer === 'kafka' ? { needsRealKafka: true } : {}),
    begin: async (house, chance) =>
      cutting(someProxies(house, peer, chance), chance, (link) => {
        cut(link, chance);
      }),
  };
}

function faultsOf(peer: Peer): Fault[] {
  const latencyMsMax = peer === 'partner' ? 400 : 150;
  const sliceBytesMin = peer === 'partner' ? 1 : 64;
  return [
    weatherFault(peer, 'latency', {
      lastsMs: [2_000, 5_000],
      weather: (chance) => ({ latencyMs: chance.between(10, latencyMsMax), jitterMs: chance.between(0, latencyMsMax) }),
    }),
    weatherFault(peer, 'loss', {
      lastsMs: [2_000, 5_000],
      weather: (chance) => ({ lossChance: 0.02 + chance.unit() * 0.1, retransmitMs: chance.between(200, 1_200) }),
    }),
    weatherFault(peer, 'slicing', {
      lastsMs: [2_000, 4_000],
      weather: (chance) => ({ sliceBytes: sliceBytesMin * chance.between(1, 16) }),
    }),
    weatherFault(peer, 'black-hole', { lastsMs: [2_500, 6_000], weather: () => ({ isBlackHole: true }) }),
    weatherFault(peer, 'refused', { lastsMs: [1_000, 4_000], weather: () => ({ isRefusing: true }) }),
    cutFault(peer, 'reset', (link) => {
      link.reset();
    }),
    cutFault(peer, 'half-close', (link, chance) => {
      link.halfClose(chance.isLucky(0.5) ? 'client' : 'upstream');
    }),
  ];
}

const lostCommits: Fault = {
  kind: 'net-postgres-lost-commit',
  seat: 'postgres network',
  lastsMs: [2_000, 4_000],
  begin: async (house, chance) => {
    for (const proxy of someProxies(house, 'postgres', chance)) proxy.loseCommits(chance.between(1, commitsPerLoss));
    return nothingToHeal;
  },
};

export const networkFaults: readonly Fault[] = [...peers.flatMap(faultsOf), lostCommits];
