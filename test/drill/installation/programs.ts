import type { OtherTerms, ShopProgram } from '#shop';
import { marketSource } from '#shop';

/** The broker is ours alone: the topics have their default names. */
export const sourceTopics = {
  members: 'loyalty.members',
  purchases: 'loyalty.purchases',
  rewards: 'loyalty.rewards',
} as const;

/** By which receipts of markets come, where there are some. */
const marketTopic = 'market.receipts';

/** All by which records come. */
export const topicsRead = ({ hasMarkets = false }: { readonly hasMarkets?: boolean }): readonly string[] => [
  ...Object.values(sourceTopics),
  ...(hasMarkets ? [marketTopic] : []),
];

/** By which one record comes. */
export const topicOf = ({
  topic,
  isReceipt,
}: {
  readonly topic: keyof typeof sourceTopics;
  readonly isReceipt: boolean;
}): string => (isReceipt ? marketTopic : sourceTopics[topic]);

export const outcomesTopic = 'loyalty.outcomes';

export const topicNames: readonly string[] = [
  ...topicsRead({ hasMarkets: true }),
  outcomesTopic,
  'loyalty.audit',
  'loyalty.dead-letter',
];

/** What a lost call may still do at the partner, and for how long: late commits stay well below. */
const inFlightMs = 10_000;
/** How long purchases and rewards wait for an enrolment: longer than one topic may lag behind another in a drill. */
export const missingPassWaitMs = 40_000;
/** The partner's time for one answer. Leases last 15 s longer (`libs/outbox`, settings). */
export const partnerTimeoutMs = 2_000;
export const leaseMs = partnerTimeoutMs + 15_000;

/**
 * Programs of the drill, on the sandbox's default seed: one direct, whose receipts restart in each store; one by workflows and with
 * plain transactions.
 */
export const shopPrograms: readonly ShopProgram[] = [
  { name: 'coffee-club', share: 65, rewards: ['free-coffee', 'sticker'], restartsReceipts: true },
  { name: 'tea-club', share: 35, rewards: ['free-coffee'], restartsReceipts: false },
];

/** How other systems reach a program, as the file below has it. */
export function otherTerms(program: string): OtherTerms {
  const isCoffee = program === 'coffee-club';
  return {
    brandId: '101',
    programId: isCoffee ? '2001' : '2002',
    transactionTypeId: isCoffee ? '31' : '33',
    attributesOf: (number, takes): Record<string, string> => {
      if (!isCoffee) return {};
      return { receipt: takes === null ? number : `${takes.storeId}-${takes.purchaseId}` };
    },
    rewardId: '9001',
    updateWorkflowId: '78',
    issueWorkflowId: isCoffee ? null : '77',
  };
}

/** @param requestsPerSecond of each program; it bounds how fast a backlog goes away, so that faults meet work */
export function programsText(requestsPerSecond: number, { hasMarkets = false } = {}): string {
  const sources = marketSource(
    marketTopic,
    shopPrograms.map(({ name }) => name),
  );
  return `${hasMarkets ? `sources: ${JSON.stringify(sources)}` : ''}
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR
    uniqueIdKey: memberId
    enrolment: { via: issue }
    update: { via: workflow, workflowId: "78" }
    templateId: 11
    tiers: { basic: 1, gold: 2 }
    purchaseKey: [storeId, purchaseId]
    purchases:
      completed: { transactionTypeId: "31", attributes: { store: storeId, receipt: { join: [storeId, purchaseId] } }, uniqueAttribute: receipt, uniqueEnforced: true }
      refunded: { transactionTypeId: "32", sign: -1, attributes: { receipt: { join: [storeId, refundId] }, of: purchaseId }, uniqueAttribute: receipt, uniqueEnforced: true }
    rewards: { free-coffee: { id: "9001", pointsDelta: -10 }, sticker: "9002" }
    revoked: { via: reward, id: "9002" }
    missingPass: { waitMs: ${missingPassWaitMs} }
    missingPurchase: { waitMs: ${missingPassWaitMs / 2} }
    inFlightMs: ${inFlightMs}
    retries: { maxAttempts: 40, maxAgeMs: 3600000 }
    limits: { requestsPerSecond: ${requestsPerSecond} }
    eventsMay: { erase: true, merge: true, perHour: 1000000 }
  tea-club:
    brandId: "101"
    programId: "2002"
    currency: EUR
    uniqueIdKey: memberId
    enrolment: { via: workflow, workflowId: "77" }
    update: { via: workflow, workflowId: "78" }
    templateId: 11
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed: { transactionTypeId: "33", attributes: {} }
      refunded: { transactionTypeId: "32", sign: -1, attributes: { receipt: refundId, of: purchaseId }, uniqueAttribute: receipt, uniqueEnforced: true }
    rewards: { free-coffee: { id: "9001", pointsDelta: -10 } }
    refundUnknown: post
    missingPass: { waitMs: ${missingPassWaitMs} }
    inFlightMs: ${inFlightMs}
    retries: { maxAttempts: 40, maxAgeMs: 3600000 }
    onUnknown: { reward: probe }
    limits: { requestsPerSecond: ${requestsPerSecond} }
    eventsMay: { erase: true, merge: true, perHour: 1000000 }
`;
}
