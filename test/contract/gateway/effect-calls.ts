import type { JsonObject, RewardCommand, TransactionCommand } from '#domain';
import { answerOf } from './gateway-answer.js';
import { given, memberKeyOf, named, type PortCall, programOf } from './port-call.js';

/**
 * The port wants to know the member even where the pass is named otherwise; nothing of it is sent then. It is told a key
 * that no pass has, so that the answer contradicts nobody.
 */
const nobody = { uniqueId: 'nobody', uniqueIdKey: 'nobody' };

/** 4.6 */
export const reward: PortCall = {
  dialectFor: ({ query }) => {
    if (named(query, 'reward.passIdParameter') !== undefined) return { reward: { identifyBy: 'passId' } };
    const isBySerial = named(query, 'reward.serialNumberParameter') !== undefined;
    return { reward: { identifyBy: isBySerial ? 'serialNumber' : 'unique_id' } };
  },
  make: async (step, { partner, setup, options }) => {
    const passId = named(step.query, 'reward.passIdParameter');
    const uniqueId = textOf(step.query['unique_id']);
    const command = given({
      operation: 'reward' as const,
      ...programOf(step),
      ...(uniqueId === undefined ? nobody : { uniqueId, uniqueIdKey: memberKeyOf(step, setup) }),
      rewardId: step.path['reward_id'] ?? '',
      passId: textOf(passId),
      serialNumber: named(step.query, 'reward.serialNumberParameter') as string | undefined,
    });
    return answerOf(await partner.applyReward(command satisfies RewardCommand, options));
  },
};

/** 4.7 */
export const transaction: PortCall = {
  dialectFor: ({ query }) => {
    const isBySerial = named(query, 'transaction.serialNumberParameter') !== undefined;
    return { transaction: { identifyBy: isBySerial ? 'serialNumber' : 'unique_id' } };
  },
  make: async (step, { partner, setup, options }) => {
    const { amount, transactionDate, attributes } = step.body as {
      amount: number;
      transactionDate: string;
      attributes: JsonObject;
    };
    const command = given({
      operation: 'transaction' as const,
      ...programOf(step),
      uniqueId: textOf(step.query['unique_id']) ?? nobody.uniqueId,
      uniqueIdKey: memberKeyOf(step, setup),
      transactionTypeId: step.path['transaction_type_id'] ?? '',
      amount: String(amount),
      transactionDate,
      attributes,
      serialNumber: named(step.query, 'transaction.serialNumberParameter') as string | undefined,
    });
    return answerOf(await partner.createTransaction(command satisfies TransactionCommand, options));
  },
};

/** Ids are numbers in answers, and text in what is said to the port. */
function textOf(id: unknown): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
