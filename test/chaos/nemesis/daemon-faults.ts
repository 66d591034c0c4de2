import { setTimeout as delay } from 'node:timers/promises';

import type { Chance } from '../chance.js';
import type { ChaosHouse, Post } from '../installation/chaos-house.js';
import { leaseMs } from '../installation/programs-text.js';
import { type Fault, type Heal, nothingToHeal } from './fault.js';

const readyMsMax = 30_000;
const guestStays = [1_500, 5_000] as const;

function someReady(house: ChaosHouse, chance: Chance): Post | null {
  const ready = house.posts.filter(({ slot }) => slot.isReady);
  return ready.length === 0 ? null : chance.pick(ready);
}

async function freeze(house: ChaosHouse, chance: Chance): Promise<Heal> {
  const post = someReady(house, chance);
  post?.slot.freeze();
  return async () => {
    post?.slot.thaw();
  };
}

async function untilReady({ slot }: Post): Promise<void> {
  for (let waitedMs = 0; !slot.isReady && waitedMs < readyMsMax; waitedMs += 50) await delay(50);
}

/** One after the other, each waited for, as a rolling update does it. */
async function restartAll(house: ChaosHouse): Promise<void> {
  for (const post of house.posts) {
    await post.slot.restart();
    await untilReady(post);
  }
}

/** The guest joins and leaves, again and again. */
function storm({ guest }: ChaosHouse, chance: Chance): Heal {
  const stop = new AbortController();
  const work = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      guest.slot.up();
      await untilReady(guest);
      await delay(chance.between(...guestStays), undefined, { signal: stop.signal }).catch(() => undefined);
      if (chance.isLucky(0.3)) await guest.slot.kill();
      await guest.slot.down();
    }
  })();
  return async () => {
    stop.abort();
    await work;
  };
}

export const daemonFaults: readonly Fault[] = [
  {
    kind: 'daemon-kill',
    seat: 'daemons',
    lastsMs: [500, 3_000],
    begin: async (house: ChaosHouse, chance: Chance): Promise<Heal> => {
      await someReady(house, chance)?.slot.kill();
      return nothingToHeal;
    },
  },
  { kind: 'daemon-freeze-past-lease', seat: 'daemons', lastsMs: [leaseMs + 1_500, leaseMs + 5_000], begin: freeze },
  { kind: 'daemon-freeze-short', seat: 'daemons', lastsMs: [1_000, 6_000], begin: freeze },
  {
    kind: 'rolling-restart',
    seat: 'daemons',
    lastsMs: [500, 1_000],
    begin: async (house: ChaosHouse): Promise<Heal> => {
      await restartAll(house);
      return nothingToHeal;
    },
  },
  {
    kind: 'rebalance-storm',
    seat: 'guest',
    lastsMs: [8_000, 15_000],
    begin: async (house: ChaosHouse, chance: Chance): Promise<Heal> => storm(house, chance),
  },
];
