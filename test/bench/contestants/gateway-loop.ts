import { SystemClock } from '#platform';

import { transactionCommand } from '../backlog/purchase-event.js';
import { benchGateway } from '../bench-parts.js';
import type { Contestant } from './contestant.js';
import { concurrently, Stopwatch } from './contestant.js';

const timeoutMs = 10_000;

/** A loop of our gateway: token, request, reading and judging the answer; nothing recorded. */
export const gatewayLoop: Contestant = async (input) => {
  const gateway = benchGateway(input.stubOrigin, new SystemClock());
  const watch = new Stopwatch();
  const done = await concurrently(input, async (member, rank) => {
    const { outcome } = await gateway.partner.send(transactionCommand(member, rank), { timeoutMs });
    if (outcome.kind !== 'applied') throw new Error(`the stub's answer was taken for ${outcome.kind}`);
  });
  const figures = watch.read(done);
  await gateway.close();
  return figures;
};
