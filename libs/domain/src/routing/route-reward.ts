import type { RewardMapping, SourceEventOf } from '#contracts';

import { grantKeyOf } from './event-identity.js';
import type { RewardCommand } from './partner-command.js';
import type { RoutedIntent, RouteResult, Routing } from './route-result.js';
import { businessContentOf, intentOf, parkedIntentOf, quarantine, referenceOf, routed } from './route-result.js';

export type Granted = SourceEventOf<'loyalty.reward.granted.v1'>;
export type Revoked = SourceEventOf<'loyalty.reward.revoked.v1'>;

/** A grant applies the partner's reward of that name (4.6). */
export function routeGranted(routing: Routing<Granted>): RouteResult {
  const { event, program } = routing;
  const { reward, purchaseId } = event.data;
  const mapping = Object.hasOwn(program.rewards, reward) ? program.rewards[reward] : undefined;
  if (mapping === undefined) return quarantine('unroutable', "data.reward: not one of the program's rewards");
  const intent = intentOf(routing, rewardCommand(routing, mapping), {
    businessKey: grantKeyOf(routing, 'grant'),
    businessContent: businessContentOf(routing),
    facts: purchaseId ? { purchaseId } : {},
  });
  return routed([intent]);
}

/** A revocation cancels its grant; too late for that, it is another reward as mapped, or a person must look. */
export function routeRevoked(routing: Routing<Revoked>): RouteResult {
  const { event, memberId } = routing;
  const cancel = {
    program: event.data.program,
    memberId,
    target: grantKeyOf(routing, 'grant'),
    reason: 'revoked',
    ifTooLate: revocation(routing),
  } as const;
  return routed([], [cancel]);
}

function revocation(routing: Routing<Revoked>): RoutedIntent {
  const identity = {
    businessKey: grantKeyOf(routing, 'revocation'),
    businessContent: businessContentOf(routing),
  };
  const mapping = routing.program.revoked;
  const waitsFor = grantKeyOf(routing, 'grant');
  if (mapping.via === 'reward') return intentOf(routing, rewardCommand(routing, mapping), { ...identity, waitsFor });
  const detail = 'revoked: the grant may have been delivered, and the program does not say how to take it back';
  return parkedIntentOf(routing, { reason: 'unroutable', detail }, { operation: 'reward', ...identity });
}

function rewardCommand(routing: Routing, { id, pointsDelta }: RewardMapping): RewardCommand {
  return {
    ...referenceOf(routing),
    operation: 'reward',
    rewardId: id,
    ...(pointsDelta === null ? {} : { pointsDelta }),
  };
}
