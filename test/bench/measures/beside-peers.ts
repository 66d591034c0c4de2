import type { BacklogSize } from '../backlog/fill-store.js';
import { createAttemptTables } from '../contestants/attempt-rows.js';
import type { RoundInput } from '../contestants/contestant.js';
import { fillGraphile, groupedSettings, tunedSettings } from '../contestants/graphile.js';
import { jobSealer } from '../contestants/jobs.js';
import { batchedSettings, fillPgBoss } from '../contestants/pg-boss.js';
import type { PartnerStub } from '../stub/start-stub.js';
import type { Entrant, MeasureTools } from './measure.js';
import { verifyAttemptRows, verifyDrained, verifyFirst, verifyStub } from './verify-round.js';

/** What everybody delivers. */
export interface Race {
  readonly size: BacklogSize;
  /** Only the first of them; what else is pending stays. Default: all. */
  readonly until?: { readonly deliveries: number };
  /** A peer stops after so long. */
  readonly peerSecondsMax: number;
}

/** A way of others to deliver a backlog. */
export interface Peer {
  readonly queue: 'graphile' | 'pg-boss';
  /** A member's calls one after the other. */
  readonly isOrdered: boolean;
  /**
   * As it is, its jobs in the clear; with payloads sealed as ours are; or with the rows of our attempts too, which takes
   * sealed ones.
   */
  readonly way: 'as it is' | 'sealed' | 'with rows';
  readonly processes: 1 | 2;
}

const queues = ['graphile', 'pg-boss'] as const;

/** Both queues, in that way. */
export const bothQueues = (peer: Omit<Peer, 'queue'>): Peer[] => queues.map((queue) => ({ ...peer, queue }));

export const nameOf = ({ queue, isOrdered, way, processes }: Peer): string =>
  [queue, isOrdered ? 'ordered' : 'unordered', ...(way === 'as it is' ? [] : [way]), `${processes}`].join(' ');

const queueLabels = {
  graphile: { ordered: 'graphile-worker, named + local queue', unordered: 'graphile-worker, unordered, local queue' },
  'pg-boss': { ordered: 'pg-boss, key_strict_fifo, batches', unordered: 'pg-boss, unordered, batches' },
} as const;

const labelOf = ({ queue, isOrdered, way, processes }: Peer): string => {
  const { [isOrdered ? 'ordered' : 'unordered']: label } = queueLabels[queue];
  const further = { 'as it is': [], sealed: ['payload sealed'], 'with rows': ['payload sealed, attempt rows'] }[way];
  return [label, ...further, ...(processes === 1 ? [] : ['two processes'])].join(', ');
};

const settingsOf = ({ queue, way }: Peer): object => {
  if (queue === 'pg-boss') return batchedSettings;
  return way === 'with rows' ? groupedSettings : tunedSettings;
};

const programOf = ({ queue, way, processes }: Peer): string => {
  if (processes > 1) return `${queue}-fleet`;
  return queue === 'graphile' && way === 'with rows' ? 'graphile-rows' : queue;
};

const templateOf = (race: string, { queue, isOrdered, way }: Peer): string =>
  [race, queue.replace('-', '_'), isOrdered ? 'ordered' : 'unordered', way === 'as it is' ? 'clear' : 'sealed'].join(
    '_',
  );

/** Fills a database for each queue, order and payload that is asked for. @returns drops them */
export const fillPeers = async (
  { postgres, encryptionKey, say }: MeasureTools,
  race: string,
  size: BacklogSize,
  peers: readonly Peer[],
): Promise<() => Promise<void>> => {
  const templates = new Map(peers.map((peer) => [templateOf(race, peer), peer]));
  for (const [template, { queue, isOrdered, way }] of templates) {
    say(`filling ${template}`);
    const url = await postgres.create(template);
    await createAttemptTables(url);
    const seal = way === 'as it is' ? undefined : jobSealer(encryptionKey);
    const fill = queue === 'graphile' ? fillGraphile : fillPgBoss;
    await fill(url, { size, isOrdered, seal: seal ?? ((job) => job) });
  }
  return async () => {
    for (const template of templates.keys()) await postgres.drop(template);
  };
};

/** What every round of a race is told, whoever plays it. */
export const raceInput = (
  { plan, encryptionKey }: MeasureTools,
  stub: PartnerStub,
  { size: { members, intentsPerMember }, until }: Pick<Race, 'size' | 'until'>,
): Omit<RoundInput, 'databaseUrl'> => ({
  stubOrigin: stub.origin,
  encryptionKey,
  members,
  intentsPerMember,
  concurrency: plan.deliveryConcurrency,
  secondsMax: plan.roundSecondsMax,
  kafka: null,
  ...(until === undefined ? {} : { until }),
});

/** Ourselves, in so many processes. */
export const ourEntrant = (
  tools: MeasureTools,
  stub: PartnerStub,
  {
    processes,
    template,
    name = 'delivery',
    label = 'loyaltyd',
    ...race
  }: Pick<Race, 'size' | 'until'> & {
    readonly processes: 1 | 2;
    readonly template: string;
    readonly name?: string;
    readonly label?: string;
  },
): Entrant => {
  const isDrained = race.until === undefined;
  const limit = `limits.concurrency ${tools.plan.deliveryConcurrency}${processes === 1 ? '' : ' together'}`;
  return {
    name: processes === 1 ? name : `${name}-${processes}`,
    program: processes === 1 ? 'delivery' : 'delivery-fleet',
    isProfiled: processes === 1,
    label: processes === 1 ? label : `${label}, two processes`,
    settings: `${processes === 1 ? 'one process' : 'two processes'}, ${limit}, else defaults`,
    template,
    input: { ...raceInput(tools, stub, race), processes },
    verify: async (round) => {
      await (isDrained ? verifyDrained(round) : verifyFirst(round));
      await verifyStub(stub, { done: round.done, mayBeMore: !isDrained, isOrdered: true });
    },
  };
};

export const peerEntrant = (
  tools: MeasureTools,
  stub: PartnerStub,
  peer: Peer,
  race: Race & { readonly name: string },
): Entrant => ({
  name: nameOf(peer),
  program: programOf(peer),
  isProfiled: peer.processes === 1,
  label: labelOf(peer),
  settings: JSON.stringify(settingsOf(peer)),
  template: templateOf(race.name, peer),
  input: {
    ...raceInput(tools, stub, race),
    secondsMax: race.peerSecondsMax,
    processes: peer.processes,
    ...(peer.way === 'with rows' ? { hasAttemptRows: true } : {}),
  },
  verify: async (round) => {
    await verifyStub(stub, { done: round.done, mayBeMore: true, isOrdered: peer.isOrdered });
    if (peer.way === 'with rows') await verifyAttemptRows(round);
  },
});
