import { setTimeout as delay } from 'node:timers/promises';

import type { Chance } from '#shop';
import { queryOnce } from '#test-support';
import type { ChaosHarness, Post } from '../installation/chaos-harness.js';
import { leaseMs } from '../installation/programs.js';
import type { FaultRule } from '../installation/wallet.js';
import type { ChaosProxy } from '../proxy/chaos-proxy.js';
import type { Link, Weather } from '../proxy/link.js';
import { fairWeather } from '../proxy/link.js';

/** Ends what a fault began. */
export type Heal = () => Promise<void>;

/** What is broken; two faults of one seat are not on at once. */
type Seat =
  'daemons' | 'guest' | 'postgres' | 'kafka' | 'postgres network' | 'kafka network' | 'partner network' | 'partner';

/** One way to break something. */
export interface Fault {
  readonly kind: string;
  readonly seat: Seat;
  /** How long it lasts at least, and at most. */
  readonly lastsMs: readonly [min: number, max: number];
  /** It has to do with the broker itself, which only a real one survives. */
  readonly needsRealKafka?: boolean;
  /** Only alone: it would make the verdict on others too mild. */
  readonly isAloneOnly?: boolean;
  readonly begin: (harness: ChaosHarness, chance: Chance) => Promise<Heal>;
}

const nothingToHeal: Heal = () => Promise.resolve();

const readyMsMax = 30_000;
const guestStays = [1_500, 5_000] as const;

function someReady(harness: ChaosHarness, chance: Chance): Post | null {
  const ready = harness.posts.filter(({ slot }) => slot.isReady);
  return ready.length === 0 ? null : chance.pick(ready);
}

async function freeze(harness: ChaosHarness, chance: Chance): Promise<Heal> {
  const post = someReady(harness, chance);
  post?.slot.freeze();
  return async () => {
    post?.slot.thaw();
  };
}

async function untilReady({ slot }: Post): Promise<void> {
  for (let waitedMs = 0; !slot.isReady && waitedMs < readyMsMax; waitedMs += 50) await delay(50);
}

/** One after the other, each waited for, as a rolling update does it. */
async function restartAll(harness: ChaosHarness): Promise<void> {
  for (const post of harness.posts) {
    await post.slot.restart();
    await untilReady(post);
  }
}

/** The guest joins and leaves, again and again. */
function storm({ guest }: ChaosHarness, chance: Chance): Heal {
  const stop = new AbortController();
  const work = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      guest.slot.up();
      await untilReady(guest);
      await delay(chance.between(...guestStays), undefined, { signal: stop.signal }).catch(() => undefined);
      if (chance.happens(0.3)) await guest.slot.kill();
      await guest.slot.down();
    }
  })();
  return async () => {
    stop.abort();
    await work;
  };
}

const daemonFaults: readonly Fault[] = [
  {
    kind: 'daemon-kill',
    seat: 'daemons',
    lastsMs: [500, 3_000],
    begin: async (harness: ChaosHarness, chance: Chance): Promise<Heal> => {
      await someReady(harness, chance)?.slot.kill();
      return nothingToHeal;
    },
  },
  { kind: 'daemon-freeze-past-lease', seat: 'daemons', lastsMs: [leaseMs + 1_500, leaseMs + 5_000], begin: freeze },
  { kind: 'daemon-freeze-short', seat: 'daemons', lastsMs: [1_000, 6_000], begin: freeze },
  {
    kind: 'rolling-restart',
    seat: 'daemons',
    lastsMs: [500, 1_000],
    begin: async (harness: ChaosHarness): Promise<Heal> => {
      await restartAll(harness);
      return nothingToHeal;
    },
  },
  {
    kind: 'rebalance-storm',
    seat: 'guest',
    lastsMs: [8_000, 15_000],
    begin: async (harness: ChaosHarness, chance: Chance): Promise<Heal> => storm(harness, chance),
  },
];

type Peer = 'partner' | 'postgres' | 'kafka';

const peers: readonly Peer[] = ['partner', 'postgres', 'kafka'];
const cutEveryMs = 250;
const commitsPerLoss = 3;

/** The proxies of some of the daemons; there is one to the partner for all. */
function someProxies(harness: ChaosHarness, peer: Peer, chance: Chance): readonly ChaosProxy[] {
  if (peer === 'partner') return [harness.partner];
  const all = harness.posts.map((post) => post[peer]);
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
    begin: async (harness, chance) => {
      const proxies = someProxies(harness, peer, chance);
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
      for (const link of proxies.flatMap(({ links }) => links)) if (chance.happens(share)) cut(link);
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
    begin: async (harness, chance) =>
      cutting(someProxies(harness, peer, chance), chance, (link) => {
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
      link.halfClose(chance.happens(0.5) ? 'client' : 'upstream');
    }),
  ];
}

const lostCommits: Fault = {
  kind: 'net-postgres-lost-commit',
  seat: 'postgres network',
  lastsMs: [2_000, 4_000],
  begin: async (harness, chance) => {
    for (const proxy of someProxies(harness, 'postgres', chance)) proxy.loseCommits(chance.between(1, commitsPerLoss));
    return nothingToHeal;
  },
};

const networkFaults: readonly Fault[] = [...peers.flatMap(faultsOf), lostCommits];

/** Late commits stay below the time within which the programs file says that calls may still take effect. */
const lateCommitMsMax = 6_000;
/** Longer than the daemon waits for an answer. */
const tooSlowMs = 3_000;

type Rule = Omit<FaultRule, 'kind' | 'operation' | 'probability'> & { readonly operation?: string };

/** What each kind needs beyond its name, and how often it strikes at most. */
const kinds: Readonly<Record<string, { readonly often: number; readonly rule: (chance: Chance) => Rule }>> = {
  latency: { often: 0.6, rule: (chance) => ({ ms: chance.between(50, 1_500) }) },
  'too-many': { often: 0.3, rule: (chance) => (chance.happens(0.7) ? { retryAfter: chance.between(1, 2) } : {}) },
  'error-before': { often: 0.3, rule: (chance) => ({ status: chance.pick([500, 502, 503, 504]) }) },
  'error-after': { often: 0.3, rule: (chance) => ({ status: chance.pick([500, 502, 503, 504]) }) },
  'drop-before': { often: 0.3, rule: () => ({}) },
  'drop-after': { often: 0.3, rule: () => ({}) },
  'commit-late': { often: 0.3, rule: (chance) => ({ ms: chance.between(300, lateCommitMsMax) }) },
  'commit-twice': { often: 0.1, rule: () => ({}) },
  'stale-lookup': { often: 0.7, rule: (chance) => ({ ms: chance.between(200, 4_000) }) },
  truncated: { often: 0.3, rule: () => ({}) },
  garbage: { often: 0.3, rule: () => ({}) },
  empty: { often: 0.3, rule: () => ({}) },
  'slow-headers': { often: 0.2, rule: () => ({ ms: tooSlowMs }) },
  'slow-body': { often: 0.2, rule: () => ({ ms: tooSlowMs }) },
  redirect: { often: 0.2, rule: () => ({ status: 307 }) },
  'redirect-after': { often: 0.2, rule: () => ({ status: 303 }) },
  oversized: { often: 0.02, rule: () => ({ bytes: 32 * 1024 * 1024 }) },
  // With the effect or without it, as the sandbox' seed has it for each call.
  hollow: { often: 0.2, rule: () => ({}) },
  foreign: { often: 0.2, rule: () => ({}) },
  'maintenance-page': { often: 0.3, rule: () => ({}) },
  // What is refused for good is a person's work: little of it.
  'already-busy': { often: 0.1, rule: () => ({}) },
  // A person's work likewise.
  otherwise: { often: 0.1, rule: () => ({}) },
  'failed-duplicate': { often: 0.1, rule: () => ({}) },
  unauthorized: { often: 0.2, rule: () => ({}) },
  message: { often: 0.8, rule: () => ({}) },
  'token-down': { often: 1, rule: () => ({ operation: 'token' }) },
  // Read as ever.
  gzip: { often: 1, rule: () => ({}) },
  'other-charset': { often: 1, rule: () => ({}) },
};

/** Rates between rare and the kind's most. */
function rulesOf(kind: string, chance: Chance): FaultRule[] {
  const found = kinds[kind];
  if (found === undefined) throw new RangeError(`no such kind: ${kind}`);
  const probability = found.often * (0.1 + 0.9 * chance.unit());
  return [{ operation: '*', kind, probability, ...found.rule(chance) }];
}

const byRules: readonly Fault[] = Object.keys(kinds).map((kind) => ({
  kind: `partner-${kind}`,
  seat: 'partner',
  lastsMs: [1_500, 4_500],
  begin: async ({ wallet }, chance) => wallet.misbehave(rulesOf(kind, chance)),
}));

/**
 * The partner takes what it is configured to take once a second time. Only before anything was lost sight of: then
 * nothing is sent twice, and the checker may go on holding us to the promise for what is unique.
 */
const notUnique: Fault = {
  kind: 'partner-not-unique',
  seat: 'partner',
  lastsMs: [1_500, 3_000],
  isAloneOnly: true,
  begin: async ({ wallet }) => wallet.misbehave([{ operation: '*', kind: 'not-unique', probability: 1 }]),
};

/** The one that must come first is first. */
const partnerFaults: readonly Fault[] = [notUnique, ...byRules];

/** Calls that take effect, or will in a moment, and whose caller hears nothing. */
export const commitThenDrop: readonly FaultRule[] = [
  { operation: '*', kind: 'drop-after', probability: 0.5 },
  { operation: '*', kind: 'commit-late', probability: 0.6, ms: 2_500 },
];

const terminateEveryMs = 400;

/** Ends every backend that serves a daemon, again and again. */
function terminateBackends({ postgres }: ChaosHarness): Heal {
  const stop = new AbortController();
  const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const work = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await queryOnce(postgres.url, text).catch(() => undefined);
      await delay(terminateEveryMs);
    }
  })();
  return async () => {
    stop.abort();
    await work;
  };
}

const serverFaults: readonly Fault[] = [
  {
    kind: 'postgres-kill',
    seat: 'postgres',
    lastsMs: [300, 4_000],
    begin: async ({ postgres }: ChaosHarness): Promise<Heal> => {
      await postgres.kill();
      return () => postgres.start();
    },
  },
  {
    kind: 'postgres-restart',
    seat: 'postgres',
    lastsMs: [100, 2_000],
    begin: async ({ postgres }: ChaosHarness): Promise<Heal> => {
      await postgres.stop();
      return () => postgres.start();
    },
  },
  {
    kind: 'postgres-backends-terminated',
    seat: 'postgres',
    lastsMs: [1_500, 4_000],
    begin: async (harness: ChaosHarness): Promise<Heal> => terminateBackends(harness),
  },
  {
    kind: 'broker-kill',
    seat: 'kafka',
    lastsMs: [300, 5_000],
    needsRealKafka: true,
    begin: async ({ broker }: ChaosHarness): Promise<Heal> => {
      await broker.real?.kill();
      return async () => broker.real?.start();
    },
  },
  {
    kind: 'broker-restart',
    seat: 'kafka',
    lastsMs: [100, 2_000],
    needsRealKafka: true,
    begin: async ({ broker }: ChaosHarness): Promise<Heal> => {
      await broker.real?.stop();
      return async () => broker.real?.start();
    },
  },
];

/** Everything that can be broken, what must come first first. */
export const allFaults: readonly Fault[] = [...partnerFaults, ...networkFaults, ...daemonFaults, ...serverFaults];

export const faultKinds: readonly string[] = allFaults.map(({ kind }) => kind);
