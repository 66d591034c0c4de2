import type { TransactionCommand } from '#domain';
import { SystemClock } from '#platform';
import { benchGateway } from '../bench-program.js';
import { concurrently } from './concurrently.js';
import type { Contestant } from './contestant.js';
import { Stopwatch } from './stopwatch.js';

const timeoutMs = 10_000;

const commandOf = (member: number, rank: number): TransactionCommand => ({
  operation: 'transaction',
  brandId: '101',
  programId: '2001',
  uniqueId: `m_${member}`,
  uniqueIdKey: 'memberId',
  transactionTypeId: '31',
  amount: '59.99',
  transactionDate: '2026-11-21T09:15:04.000Z',
  attributes: { store: 'berlin-07', receipt: `${member}-${rank}`, campaign: 'autumn' },
});

/** A loop of our gateway: token, request, reading and judging the answer; nothing recorded. */
export const gatewayLoop: Contestant = async (input) => {
  const gateway = benchGateway(input.stubOrigin, new SystemClock());
  const watch = new Stopwatch();
  const done = await concurrently(input, async (member, rank) => {
    const { outcome } = await gateway.partner.createTransaction(commandOf(member, rank), { timeoutMs });
    if (outcome.kind !== 'applied') throw new Error(`the stub's answer was taken for ${outcome.kind}`);
  });
  const figures = watch.read(done);
  await gateway.close();
  return figures;
};
