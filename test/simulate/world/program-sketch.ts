import type { Chance } from '../kernel/chance.js';

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
  readonly sendsVoids: boolean;
  readonly sendsRevocations: boolean;
  readonly refundWaits: boolean;
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
}

const programIds: Readonly<Record<string, string>> = { alpha: '2001', beta: '2002' };

export function programSketch(name: string, chance: Chance, inFlightMs: number): ProgramSketch {
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
    refundWaits: chance.happens(0.8),
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
  };
}

/** Attributes whose values the partner takes once, by transaction type. */
export const uniqueAttributes = { '31': 'receipt', '32': 'receipt' } as const;

/** How the partner moves points. */
export const pointsOf = {
  'reward 9001': -10,
  'reward 9003': 10,
  'transaction 31': 5,
  'transaction 32': -5,
  'transaction 33': 5,
  'transaction 34': -5,
} as const;

function purchases({ hasReceipts, sendsVoids }: ProgramSketch): object {
  const unique = { uniqueAttribute: 'receipt', uniqueEnforced: true };
  const attributes = { store: 'storeId', receipt: 'purchaseId' };
  return {
    completed: hasReceipts
      ? { transactionTypeId: '31', attributes, ...unique, pointsDelta: 5 }
      : { transactionTypeId: '33', attributes, pointsDelta: 5 },
    refunded: hasReceipts
      ? {
          transactionTypeId: '32',
          sign: -1,
          attributes: { receipt: 'refundId', of: 'purchaseId' },
          ...unique,
          pointsDelta: -5,
        }
      : { transactionTypeId: '34', sign: -1, attributes: { refund: 'refundId' }, pointsDelta: -5 },
    voided: sendsVoids
      ? { transactionTypeId: '34', sign: -1, attributes: { void: 'purchaseId' }, pointsDelta: -5 }
      : { via: 'none' },
  };
}

function programOf(sketch: ProgramSketch): object {
  const { viaWorkflow, hasUpdates, sendsRevocations, onUnknown, onPark } = sketch;
  return {
    brandId: '101',
    programId: sketch.programId,
    currency: 'EUR',
    uniqueIdKey: 'memberId',
    enrolment: viaWorkflow ? { via: 'workflow', workflowId: '77' } : { via: 'issue' },
    update: hasUpdates ? { via: 'workflow', workflowId: '78' } : { via: 'none' },
    templateId: 11,
    tiers: { basic: 1, gold: 2 },
    refundWaits: sketch.refundWaits,
    purchases: purchases(sketch),
    rewards: { 'free-coffee': { id: '9001', pointsDelta: -10 } },
    revoked: sendsRevocations ? { via: 'reward', id: '9003', pointsDelta: 10 } : { via: 'none' },
    missingPass: { waitMs: sketch.waitMs },
    retries: { maxAttempts: sketch.maxAttempts, maxAgeMs: sketch.maxAgeMs },
    inFlightMs: sketch.inFlightMs,
    onUnknown,
    onPark,
    autoPause: { sameRefusals: sketch.sameRefusals },
    limits: { requestsPerSecond: sketch.requestsPerSecond, concurrency: sketch.concurrency },
    dialect: sketch.dialect ?? {},
  };
}

/** The programs file, as YAML that is JSON. */
export function programsText(sketches: readonly ProgramSketch[]): string {
  const programs = Object.fromEntries(sketches.map((sketch) => [sketch.name, programOf(sketch)]));
  return JSON.stringify({ programs });
}
