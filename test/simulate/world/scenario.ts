import type { Dials, MapOf, Sent } from '#shop';
import { Chance, marketSource } from '#shop';
import type { Fault, MomentFault, WeatherFault } from './fault.js';
import { faultNames, momentFaultNames, momentFaults, weatherFaultNames, weatherFaults } from './fault.js';

type Policy = 'park' | 'resend' | 'probe';
type OnPark = 'block' | 'continue';

/** What a seed decides about one program; `programsText` spells it out. */
export interface ProgramSketch {
  readonly name: string;
  readonly programId: string;
  readonly viaWorkflow: boolean;
  readonly hasUpdates: boolean;
  /** Purchases carry a receipt that the partner takes once. */
  readonly hasReceipts: boolean;
  /** Receipts restart in each store: a purchase's key is its store and its number. */
  readonly restartsReceipts: boolean;
  readonly sendsVoids: boolean;
  readonly sendsRevocations: boolean;
  readonly refundUnknown: 'park' | 'post';
  readonly waitMs: number;
  readonly maxAttempts: number;
  readonly maxAgeMs: number;
  readonly inFlightMs: number;
  readonly onUnknown: {
    readonly issue: Policy;
    readonly update: Policy;
    readonly transaction: Policy;
    readonly reward: Policy;
  };
  readonly onPark: { readonly issue: OnPark; readonly transaction: OnPark; readonly reward: OnPark };
  readonly sameRefusals: number;
  readonly requestsPerSecond: number | null;
  readonly concurrency: number | null;
  /** As in the programs file; absent: what we assume of the partner. */
  readonly dialect?: object;
  /** As in the programs file; absent: ISO 4217 alone. */
  readonly currencyDigits?: number;
  /** By how much a reward moves points; absent: as usual. */
  readonly rewardPoints?: number;
  /** Sales are posted by types of their own: a file that was mended, or spoilt, for a while. */
  readonly retypesSales?: boolean;
  /** Some of its members shop at markets, whose receipts are read by this map. */
  readonly market?: { readonly by?: MapOf; readonly mayAll?: boolean };
  /** There is a reward that each member gets once for a campaign. */
  readonly givesOnce?: boolean;
  /** The receipt is the purchase's number alone, whatever its key: a file that is refused. */
  readonly hasNarrowReceipts?: boolean;
}

const programIds: Readonly<Record<string, string>> = { alpha: '2001', beta: '2002' };

function programSketch(name: string, chance: Chance, inFlightMs: number): ProgramSketch {
  const policy = (): Policy => chance.pick(['park', 'park', 'resend', 'probe']);
  const onPark = (): OnPark => chance.pick(['block', 'continue']);
  return {
    name,
    programId: programIds[name] ?? '2009',
    viaWorkflow: chance.happens(0.4),
    hasUpdates: chance.happens(0.8),
    hasReceipts: chance.happens(0.6),
    sendsVoids: chance.happens(0.4),
    sendsRevocations: chance.happens(0.4),
    refundUnknown: chance.happens(0.8) ? 'park' : 'post',
    waitMs: chance.between(8, 60) * 1_000,
    maxAttempts: chance.pick([2, 4, 12]),
    maxAgeMs: chance.pick([60_000, 600_000, 86_400_000]),
    inFlightMs,
    onUnknown: {
      issue: chance.pick(['probe', 'probe', 'probe', 'park']),
      update: policy(),
      transaction: policy(),
      reward: policy(),
    },
    onPark: { issue: onPark(), transaction: onPark(), reward: onPark() },
    sameRefusals: chance.pick([2, 5, 20]),
    requestsPerSecond: chance.pick([null, null, 2, 10]),
    concurrency: chance.pick([null, 1, 4]),
    restartsReceipts: chance.happens(0.4),
  };
}

/** Attributes whose values the partner takes once, by transaction type: what is used in one is free in another. */
export const uniqueAttributes = { '31': 'receipt', '32': 'receipt', '41': 'receipt' } as const;

/** The types by which sales are posted while a file retypes them, and otherwise. */
export const retyped = { '41': '31', '43': '33' } as const;

const usualRewardPoints = -10;
const oncePoints = 4;
/** What each member gets once for a campaign. */
export const onceReward = 'birthday-cake';

/** How the partner moves points; of all programs alike. */
export const pointsOf = ([sketch]: readonly ProgramSketch[]): Readonly<Record<string, number>> => ({
  'reward 9001': sketch?.rewardPoints ?? usualRewardPoints,
  'reward 9002': oncePoints,
  'reward 9003': 10,
  'transaction 31': 5,
  'transaction 32': -5,
  'transaction 33': 5,
  'transaction 34': -5,
  'transaction 35': 3,
  'transaction 41': 5,
  'transaction 43': 5,
});

function purchases(sketch: ProgramSketch): object {
  const { hasReceipts, sendsVoids, restartsReceipts, hasNarrowReceipts = false, retypesSales = false } = sketch;
  const unique = { uniqueAttribute: 'receipt', uniqueEnforced: true };
  const receiptOf = (number: string): unknown =>
    restartsReceipts && !hasNarrowReceipts ? { join: ['storeId', number] } : number;
  const attributes = { store: 'storeId', receipt: receiptOf('purchaseId') };
  return {
    completed: hasReceipts
      ? { transactionTypeId: retypesSales ? '41' : '31', attributes, ...unique, pointsDelta: 5 }
      : { transactionTypeId: retypesSales ? '43' : '33', attributes, pointsDelta: 5 },
    refunded: hasReceipts
      ? {
          transactionTypeId: '32',
          sign: -1,
          attributes: { receipt: receiptOf('refundId'), of: 'purchaseId' },
          ...unique,
          pointsDelta: -5,
        }
      : { transactionTypeId: '34', sign: -1, attributes: { refund: 'refundId' }, pointsDelta: -5 },
    voided: sendsVoids
      ? { transactionTypeId: '34', sign: -1, attributes: { void: 'purchaseId' }, pointsDelta: -5 }
      : { via: 'none' },
    corrected: sendsVoids
      ? { transactionTypeId: '35', attributes: { correction: 'correctionId' }, pointsDelta: 3 }
      : { via: 'none' },
  };
}

function programOf(sketch: ProgramSketch): object {
  const { viaWorkflow, hasUpdates, sendsRevocations, onUnknown, onPark } = sketch;
  return {
    brandId: '101',
    programId: sketch.programId,
    currency: 'EUR',
    ...(sketch.currencyDigits === undefined ? {} : { currencyDigits: sketch.currencyDigits }),
    uniqueIdKey: 'memberId',
    enrolment: viaWorkflow ? { via: 'workflow', workflowId: '77' } : { via: 'issue' },
    update: hasUpdates ? { via: 'workflow', workflowId: '78' } : { via: 'none' },
    templateId: 11,
    tiers: { basic: 1, gold: 2 },
    refundUnknown: sketch.refundUnknown,
    ...(sketch.restartsReceipts ? { purchaseKey: ['storeId', 'purchaseId'] } : {}),
    purchases: purchases(sketch),
    rewards: {
      'free-coffee': { id: '9001', pointsDelta: sketch.rewardPoints ?? usualRewardPoints },
      ...(sketch.givesOnce && { [onceReward]: { id: '9002', pointsDelta: oncePoints, once: 'campaignId' } }),
    },
    revoked: sendsRevocations ? { via: 'reward', id: '9003', pointsDelta: 10 } : { via: 'none' },
    missingPass: { waitMs: sketch.waitMs },
    missingPurchase: { waitMs: sketch.waitMs / 2 },
    retries: { maxAttempts: sketch.maxAttempts, maxAgeMs: sketch.maxAgeMs },
    inFlightMs: sketch.inFlightMs,
    onUnknown,
    onPark,
    autoPause: { sameRefusals: sketch.sameRefusals },
    limits: { requestsPerSecond: sketch.requestsPerSecond, concurrency: sketch.concurrency },
    eventsMay: { erase: true, merge: true, perHour: 1_000_000 },
    dialect: sketch.dialect ?? {},
  };
}

/** The programs file, as YAML that is JSON. */
export function programsText(sketches: readonly ProgramSketch[]): string {
  const programs = Object.fromEntries(sketches.map((sketch) => [sketch.name, programOf(sketch)]));
  const market = sketches.find((sketch) => sketch.market)?.market;
  if (market === undefined) return JSON.stringify({ programs });
  return JSON.stringify({ programs, sources: marketSource(marketTopic, Object.keys(programs), market) });
}

/** By which receipts of markets come. */
export const marketTopic = 'market.receipts';

/** A fault that strikes with some probability while it lasts; times in ms from the world's beginning. */
export interface WeatherSpell {
  readonly fault: WeatherFault;
  readonly rate: number;
  readonly from: number;
  readonly until: number;
}

interface FaultMoment {
  readonly fault: MomentFault;
  readonly at: number;
}

/** What is otherwise in a world's shop. */
export interface Trade {
  /** People give up enrolments that block their lanes: they cancel them. */
  readonly givesUp?: boolean;
  readonly dials: Partial<Omit<Dials, 'often'>> & { readonly often?: Partial<Dials['often']> };
  /** What a producer tells besides, so long after what it has told. */
  readonly besides?: (sent: Sent) => readonly { readonly sent: Sent; readonly afterMs: number }[];
}

/** One world, whole: everything follows from the seed and from which faults are left on. */
export interface Scenario {
  readonly seed: number;
  readonly startsAt: number;
  readonly daemons: number;
  readonly programs: readonly ProgramSketch[];
  readonly membersPerProgram: number;
  readonly events: number;
  readonly partitions: number;
  /** Producers are done and faults end at this time. */
  readonly troubledMs: number;
  readonly inFlightMs: number;
  /** The partner takes unique values and members once only, as it is configured to. */
  readonly enforcesUniqueness: boolean;
  readonly hadPasses: boolean;
  readonly publishesOutcomes: boolean;
  readonly settings: {
    readonly lanesHeldMax: number;
    readonly claimBatchSizeMax: number;
    readonly flushBatchSizeMax: number;
    readonly flushesMax: number;
  };
  readonly spells: readonly WeatherSpell[];
  readonly moments: readonly FaultMoment[];
  /** Faults that strike in this world. */
  readonly faults: readonly Fault[];
  /** Absent: as in every world. */
  readonly trade?: Trade;
}

const startsAt = Date.parse('2026-11-21T10:00:00Z');
/** Share of faults that are on in a world: some worlds have few, some many. */
const onShares = [0, 0.08, 0.15, 0.3, 0.5] as const;

/** Draws the world of a seed. @param without faults that are switched off, for shrinking */
export function scenarioOf(seed: number, without: ReadonlySet<Fault> = new Set()): Scenario {
  const chance = new Chance(seed).fork('scenario');
  const troubledMs = chance.between(8_000, 40_000);
  const onShare = chance.pick(onShares);
  const drawn = faultNames.filter((fault) => new Chance(seed).fork(`on ${fault}`).happens(onShare));
  const faults = drawn.filter((fault) => !without.has(fault));
  const inFlightMs = chance.between(3, 10) * 1_000;
  const size = chance.pick(['small', 'small', 'middle', 'large'] as const);
  const customs = {
    ...(faults.includes('gives-once') && { givesOnce: true }),
    ...(faults.includes('has-markets') && { market: {} }),
  };
  return {
    seed,
    startsAt,
    daemons: chance.between(1, 3),
    programs: [
      { ...programSketch('alpha', chance.fork('alpha'), inFlightMs), ...customs },
      { ...programSketch('beta', chance.fork('beta'), inFlightMs), ...customs },
    ],
    membersPerProgram: chance.between(1, { small: 2, middle: 4, large: 6 }[size]),
    events: chance.between(8, { small: 20, middle: 40, large: 80 }[size]),
    partitions: chance.between(1, 3),
    troubledMs,
    inFlightMs,
    enforcesUniqueness: !chance.happens(0.06),
    hadPasses: chance.happens(0.15),
    publishesOutcomes: chance.happens(0.3),
    settings: {
      lanesHeldMax: chance.pick([1, 2, 4, 64]),
      claimBatchSizeMax: chance.pick([1, 2, 8, 64]),
      flushBatchSizeMax: chance.pick([1, 2, 8, 64]),
      flushesMax: chance.pick([1, 2]),
    },
    spells: faults.flatMap((fault) => spellsOf(fault, { seed, troubledMs })),
    moments: faults.flatMap((fault) => momentsOf(fault, { seed, troubledMs })),
    faults,
  };
}

interface Frame {
  readonly seed: number;
  readonly troubledMs: number;
}

function spellsOf(fault: Fault, { seed, troubledMs }: Frame): WeatherSpell[] {
  const name = weatherFaultNames.find((candidate) => candidate === fault);
  if (name === undefined) return [];
  const chance = new Chance(seed).fork(`spells ${fault}`);
  const rate = weatherFaults[name] * (0.1 + 0.9 * chance.unit());
  if (chance.happens(0.4)) return [{ fault: name, rate, from: 0, until: troubledMs }];
  return Array.from({ length: chance.between(1, 3) }, () => {
    const from = chance.unit() * troubledMs;
    return { fault: name, rate, from, until: Math.min(troubledMs, from + chance.unit() * 12_000) };
  });
}

function momentsOf(fault: Fault, { seed, troubledMs }: Frame): FaultMoment[] {
  const name = momentFaultNames.find((candidate) => candidate === fault);
  if (name === undefined) return [];
  const chance = new Chance(seed).fork(`moments ${fault}`);
  return Array.from({ length: chance.between(1, momentFaults[name]) }, () => {
    return { fault: name, at: chance.unit() * troubledMs };
  });
}
