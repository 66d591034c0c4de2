import type { RewardMapping } from '#contracts';
import { parseRfc3339, visibleRule } from '#contracts';
import type { Mapped, Routing } from '#events/core';
import { intentOf, isScalar, keyParts, lateAs, parkedIntentOf, referenceOf, sentDataText, valueAt } from '#events/core';
import type { BusinessKey, RewardCommand, RoutedIntent, RouteResult } from '#intents/core';
import { quarantine, routed } from '#intents/core';

import { grantContent } from './grant.js';
import type { Granted, Revoked } from './reward-events.js';

/** A grant applies the partner's reward of that name (4.6). */
export function routeGranted(routing: Routing<Granted>): RouteResult {
  const { event, program } = routing;
  const { reward, purchaseId } = event.data;
  const validUntil = instantText(event.data.validUntil);
  const mapping = Object.hasOwn(program.rewards, reward) ? program.rewards[reward] : undefined;
  if (mapping === undefined) return quarantine('unroutable', "data.reward: not one of the program's rewards");
  const key = grantKeyOf(routing, 'grant');
  if (!key.ok) return quarantine('invalid', key.detail);
  const campaign = campaignOf(routing, mapping);
  if ('refusal' in campaign) return quarantine('invalid', campaign.refusal);
  const intent = intentOf(
    routing,
    { ...rewardCommand(routing, mapping), ...validUntil },
    {
      businessKey: key.value,
      businessContent: grantContent(event),
      ...campaign,
      waitsFor: receiptOf(routing),
      facts: { ...(purchaseId ? { purchaseId } : {}), ...validUntil },
    },
  );
  return routed([intent]);
}

/** What it is given for once to each member: another grant for the same is the same one, under another number. */
function campaignOf(
  { event: { data }, memberId }: Routing<Granted>,
  { once }: RewardMapping,
): Pick<RoutedIntent, 'alias'> | { readonly refusal: string } {
  const value = once === undefined ? undefined : valueAt(data, once);
  if (once === undefined || value === undefined || value === '' || !isScalar(value)) return {};
  const rule = visibleRule(String(value));
  if (rule !== '') return { refusal: `data.${once.join('.')}: ${rule}` };
  const key = { scope: 'campaign', parts: [String(value), memberId], perGeneration: false, perLife: true } as const;
  return { alias: { key, content: data.reward } };
}

/** The purchase that it rewards, where it names all of that's key: voided in time, the reward is cancelled with it. */
function receiptOf({ event, program }: Routing<Granted>): BusinessKey | null {
  const parts = event.data.purchaseId ? keyParts(event.data, program.purchaseKey, 'purchaseKey') : null;
  return parts?.ok === true ? { scope: 'purchase', parts: parts.value, perGeneration: false } : null;
}

/** Checked by the schema. */
function instantText(text: string | null | undefined): { readonly validUntil?: string } {
  const timeMs = text ? parseRfc3339(text) : null;
  return timeMs === null ? {} : { validUntil: new Date(timeMs).toISOString() };
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

/** A grant's number alone, or what the program's `grantKey` says. */
function grantKeyOf(routing: Routing, scope: 'grant' | 'revocation'): Mapped<BusinessKey> {
  const { event, program } = routing;
  const found = keyParts(event.data, program.grantKey, 'grantKey');
  if (!found.ok) return found;
  return { ok: true, value: { scope, parts: found.value, perGeneration: false } };
}
