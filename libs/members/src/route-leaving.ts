import type { Routing } from '#events/core';
import { intentOf, isAllowed, parkedIntentOf } from '#events/core';
import type {
  CancelRequest,
  LeftForPerson,
  MemberEffects,
  OwnWord,
  PassContent,
  RoutedIntent,
  RouteResult,
} from '#intents/core';
import { quarantine, smsOptOut } from '#intents/core';

import type { Merged, OptedOut, Unmerged } from './member-events.js';
import { updateCommand } from './route-updated.js';

/** Null: the partner documents no consent to e-mail (partner-api.md section 2). */
const contents: Readonly<Record<OptedOut['data']['scope'], PassContent | null>> = {
  sms: smsOptOut,
  email: null,
  wallet: { passdata: { optOut: true } },
  program: { ...smsOptOut, passdata: { optOut: true } },
};

/**
 * An opt-out is an update that must not be lost: without a way to update, a person must look. Who is to be erased is gone at
 * once, and nothing is sent for them any more, also where the erasure itself waits for a person.
 */
export function routeOptedOut(routing: Routing<OptedOut>): RouteResult {
  const { scope, erase: isToErase } = routing.event.data;
  const leaves = scope === 'program';
  const refusal = isToErase === true ? whyNot(routing, 'erase') : null;
  const erase = isToErase === true && refusal === null;
  const effects: MemberEffects = { raisesGeneration: leaves || isToErase === true, erase };
  return {
    kind: 'routed',
    intents: [optOutIntent(routing)],
    cancels: leaves ? [cancelEverything(routing)] : [],
    ...(effects.raisesGeneration ? { memberEffects: effects } : {}),
    ...(erase ? ownWord(routing, 'erase', 1) : {}),
    ...(refusal === null ? {} : { leftForPerson: refusal }),
  };
}

const mayNotErase = 'data.erase: no event of this program may erase (eventsMay.erase): an admin decides';
const mayNotMerge = 'type: no event of this program may merge or separate members (eventsMay.merge): an admin decides';

/** Why an event may not do it by its own word; null: it may. */
function whyNot({ isByPerson, authority, program }: Routing, right: 'erase' | 'merge'): LeftForPerson | null {
  if (isByPerson === true) return null;
  if (!isAllowed(authority, right)) {
    const path = right === 'erase' ? 'data.erase' : 'type';
    const does = right === 'erase' ? 'erase' : 'merge or separate members';
    return { reason: 'not-allowed', detail: `${path}: ${authority?.name} may not ${does}: an admin decides` };
  }
  if (program.eventsMay[right]) return null;
  return { reason: 'not-permitted', detail: right === 'erase' ? mayNotErase : mayNotMerge };
}

/** A person's word is in the audit already, and not limited. */
function ownWord(
  { event, program, isByPerson }: Routing,
  does: OwnWord['does'],
  members: number,
): { readonly ownWord?: OwnWord } {
  if (isByPerson === true) return {};
  return { ownWord: { program: event.data.program, does, members, perHour: program.eventsMay.perHour } };
}

function optOutIntent(routing: Routing<OptedOut>): RoutedIntent {
  const { scope, erase } = routing.event.data;
  // An erasure takes the card away, whatever was withdrawn with it.
  const content = contents[scope] ?? (erase === true ? contents.program : null);
  const command = content === null ? null : updateCommand(routing, content);
  if (command !== null) return intentOf(routing, command);
  const why = content === null ? 'the partner has no call for it' : 'the program has no way to update a pass';
  const detail = `opted-out (${scope}): ${why}`;
  const parked = parkedIntentOf(routing, { reason: 'unroutable', detail }, { operation: 'update-via-workflow' });
  return { ...parked, withdraws: content === null ? [] : withdrawnBy(content) };
}

function withdrawnBy({ smsSubscription, passdata }: PassContent): string[] {
  return [...(smsSubscription === undefined ? [] : ['smsSubscription']), ...(passdata ? ['passdata.optOut'] : [])];
}

function cancelEverything({ event, memberId }: Routing<OptedOut>): CancelRequest {
  return {
    program: event.data.program,
    memberId,
    target: 'everything-queued',
    reason: 'opted-out',
    ifTooLate: null,
  };
}

/** What is told of the absorbed from now on is the survivor's. The partner cannot merge passes: a person gets the ids. */
export function routeMerged(routing: Routing<Merged>): RouteResult {
  const { memberId, event } = routing;
  const detail = `absorbed ${JSON.stringify(event.data.absorbed)} into ${JSON.stringify(memberId)}`;
  return merging(routing, { detail, isUndone: false });
}

/** They are members of their own again. What was made of their cards meanwhile is for a person. */
export function routeUnmerged(routing: Routing<Unmerged>): RouteResult {
  const { memberId, event } = routing;
  const detail = `separated ${JSON.stringify(event.data.absorbed)} from ${JSON.stringify(memberId)}`;
  return merging(routing, { detail, isUndone: true });
}

function merging(
  routing: Routing<Merged | Unmerged>,
  { detail, isUndone }: { readonly detail: string; readonly isUndone: boolean },
): RouteResult {
  const { memberId: into, event } = routing;
  const { absorbed } = event.data;
  if (absorbed.includes(into)) return quarantine('invalid', 'data.absorbed: names data.memberId, too');
  const refusal = whyNot(routing, 'merge');
  if (refusal !== null) return quarantine(refusal.reason, refusal.detail);
  const parked = parkedIntentOf(routing, { reason: 'merged', detail }, { operation: 'update-via-workflow' });
  const merge = { into, absorbed, isUndone };
  const memberEffects: MemberEffects = { raisesGeneration: false, erase: false, merge };
  const own = ownWord(routing, isUndone ? 'unmerge' : 'merge', absorbed.length);
  return { kind: 'routed', intents: [parked], cancels: [], memberEffects, ...own };
}
