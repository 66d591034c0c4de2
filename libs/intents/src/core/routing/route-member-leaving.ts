import type { SourceEventOf } from '#contracts';

import type { PartnerCommand, PassContent } from './partner-command.js';
import type { CancelRequest, MemberEffects, RoutedIntent, RouteResult, Routing } from './route-result.js';
import { intentOf, parkedIntentOf } from './route-result.js';
import { updateCommand } from './route-updated.js';

export type OptedOut = SourceEventOf<'loyalty.member.opted-out.v1'>;
export type Merged = SourceEventOf<'loyalty.member.merged.v1'>;

const contents: Readonly<Record<OptedOut['data']['scope'], PassContent>> = {
  sms: { smsSubscription: 900 },
  wallet: { passdata: { optOut: true } },
  program: { smsSubscription: 900, passdata: { optOut: true } },
};

/** An opt-out is an update that must not be lost: without a way to update, a person must look. */
export function routeOptedOut(routing: Routing<OptedOut>): RouteResult {
  const { scope, erase } = routing.event.data;
  const leaves = scope === 'program';
  const effects: MemberEffects = { raisesGeneration: leaves || erase === true, erase: erase === true };
  return {
    kind: 'routed',
    intents: [optOutIntent(routing)],
    cancels: leaves ? [cancelEverything(routing)] : [],
    ...(effects.raisesGeneration ? { memberEffects: effects } : {}),
  };
}

function optOutIntent(routing: Routing<OptedOut>): RoutedIntent {
  const { scope } = routing.event.data;
  const command = updateCommand(routing, contents[scope]);
  if (command !== null) return intentOf(routing, command);
  const detail = `opted-out (${scope}): the program has no way to update a pass`;
  const parked = parkedIntentOf(routing, { reason: 'unroutable', detail }, { operation: 'update-via-workflow' });
  return { ...parked, withdraws: withdrawnBy(contents[scope]) };
}

function withdrawnBy({ smsSubscription, passdata }: PassContent): string[] {
  return [...(smsSubscription === undefined ? [] : ['smsSubscription']), ...(passdata ? ['passdata.optOut'] : [])];
}

/** The opt-out merged with earlier ones that were never sent. */
export function withUnsentOptOuts(command: PartnerCommand, unsent: readonly PartnerCommand[]): PartnerCommand {
  if (!('content' in command)) return command;
  const unsentContents = unsent.flatMap((earlier) => ('content' in earlier ? [earlier.content] : []));
  const { content } = command;
  const sms = unsentContents.some(({ smsSubscription }) => smsSubscription === 900) ? contents.sms : {};
  const isOffWallet = unsentContents.some(({ passdata }) => passdata?.['optOut'] === true);
  const wallet = isOffWallet ? { passdata: { ...content.passdata, optOut: true } } : {};
  return { ...command, content: { ...content, ...sms, ...wallet } };
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

/** The partner cannot merge passes: a person gets both ids. */
export function routeMerged(routing: Routing<Merged>): RouteResult {
  const { memberId, event } = routing;
  const detail = `absorbed ${JSON.stringify(event.data.absorbed)} into ${JSON.stringify(memberId)}`;
  const parked = parkedIntentOf(routing, { reason: 'merged', detail }, { operation: 'update-via-workflow' });
  const memberEffects: MemberEffects = { raisesGeneration: false, erase: false, absorbed: event.data.absorbed };
  return { kind: 'routed', intents: [parked], cancels: [], memberEffects };
}
