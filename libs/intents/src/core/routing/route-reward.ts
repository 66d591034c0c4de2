import type { RewardMapping, SourceEventOf } from '#contracts';

import { grantKeyOf, sentDataText } from './event-identity.js';
import type { RewardCommand } from './partner-command.js';
import type { BusinessKey, RoutedIntent, RouteResult, Routing } from './route-result.js';
import { intentOf, lateAs, parkedIntentOf, quarantine, referenceOf, routed } from './route-result.js';

export type Granted = SourceEventOf<'loyalty.reward.granted.v1'>;
export type Revoked = SourceEventOf<'loyalty.reward.revoked.v1'>;

/** A grant applies the partner's reward of that name (4.6). */
export function routeGranted(routing: Routing<Granted>): RouteResult {
  const { event, program } = routing;
  const { reward, purchaseId } = event.data;
  const mapping = Object.hasOwn(program.rewards, reward) ? program.rewards[reward] : undefined;
  if (mapping === undefined) return quarantine('unroutable', "data.reward: not one of the program's rewards");
  const key = grantKeyOf(routing, 'grant');
  if (!key.ok) return quarantine('invalid', key.detail);
  const intent = intentOf(routing, rewardCommand(routing, mapping), {
    businessKey: key.value,
    businessContent: sentDataText(routing.event),
    facts: purchaseId ? { purchaseId } : {},
  });
  return routed([intent]);
}

/** A revocation cancels its grant; too late for that, it is another reward as mapped, or a person must look. */
export function routeRevoked(routing: Routing<Revoked>): RouteResult {
  const { event, memberId } = routing;
  const grant = grantKeyOf(routing, 'grant');
  const own = grantKeyOf(routing, 'revocation');
  if (!grant.ok) return quarantine('invalid', grant.detail);
  if (!own.ok) return quarantine('invalid', own.detail);
  const ifTooLate = revocation(routing, { grant: grant.value, own: own.value });
  const { program } = event.data;
  return routed([], [{ program, memberId, target: grant.value, reason: 'revoked', ...lateAs(routing, ifTooLate) }]);
}

function revocation(
  routing: Routing<Revoked>,
  { grant, own }: { readonly grant: BusinessKey; readonly own: BusinessKey },
): RoutedIntent {
  const content = { businessKey: own, businessContent: sentDataText(routing.event) };
  const identity = { ...content, waitsFor: grant, awaitsUnknown: true } as const;
  const mapping = routing.program.revoked;
  if (mapping.via === 'reward') return intentOf(routing, rewardCommand(routing, mapping), identity);
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
