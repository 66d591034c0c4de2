import { Injectable } from '@nestjs/common';

import type { IdentityPlace } from '#intents/core';
import type { IntentName, RefusedAction } from '#intents';
import { IntentActionRepository, replaysWithoutForceMax } from '#intents';

import type { Actor } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import { ApiProblem } from '../problems/api-problem.js';
import { decodedPart } from '../requests/read-request.js';
import type { ListedIntent, ListPage, ListRequest } from './list-intents.js';
import { IntentRepository } from './list-intents.js';

const seqPattern = /^[1-9]\d{0,9}$/;
const seqMax = 2 ** 31 - 1;

function nameOf(text: string): IntentName | null {
  const parts = text.split('~');
  const [program, memberId] = parts.slice(0, 2).map(decodedPart);
  const seq = Number(parts[2]);
  if (parts.length !== 3 || !program || !memberId) return null;
  return seqPattern.test(parts[2] ?? '') && seq <= seqMax ? { program, memberId, seq } : null;
}

/**
 * What an intent's id in a path may mean, the likeliest first: as it is shown (its parts are percent-encoded already),
 * or percent-encoded once more as a whole, as careful clients do.
 * @param text the part of the path as it was sent
 */
export function intentNames(text: string): IntentName[] {
  const whole = decodedPart(text);
  const names = [nameOf(text), whole === null || whole === text ? null : nameOf(whole)];
  return names.filter((name) => name !== null);
}

export function noSuchIntent(): ApiProblem {
  const detail = "An intent's id is PROGRAM~MEMBER~SEQ, as lists show it.";
  return new ApiProblem({ status: 404, code: 'no-such-intent', title: 'There is no such intent', detail });
}

/** Finds intents by the id in a path. */
@Injectable()
export class IntentLookup {
  constructor(
    private readonly actions: IntentActionRepository,
    private readonly intents: IntentRepository,
  ) {}

  /** @param id as it was sent @throws {ApiProblem} 404, also where they may not know of it, or it has left */
  async find(id: string, { programs }: Pick<Actor, 'programs'>): Promise<IdentityPlace> {
    for (const name of intentNames(id).filter(({ program }) => maySee(programs, program))) {
      const place = await this.actions.find(name);
      if (place !== null) return place;
    }
    throw noSuchIntent();
  }

  async list(request: ListRequest): Promise<ListPage> {
    return this.intents.list(request);
  }

  /** @param place one that was found @throws {ApiProblem} 404 */
  async show({ laneId, seq }: IdentityPlace): Promise<ListedIntent> {
    const { items } = await this.list({ filter: { laneId, seq }, programs: null, after: null, limit: 1 });
    const [intent] = items;
    if (intent === undefined) throw noSuchIntent();
    return intent;
  }
}

const details: Partial<Record<RefusedAction, string>> = {
  'already-settled': 'It is delivered or cancelled: nothing is left to do.',
  'in-flight': 'An attempt is under way, or its outcome is being looked for. Wait until it is settled or parked.',
  'in-doubt':
    'An attempt may have taken effect. Look at the partner: resolve it as delivered or not-delivered, or cancel it with notDelivered.',
  'opted-out': 'The member has opted out since: the card may be gone on purpose. It comes with the next enrolment.',
  merged:
    'Another member has absorbed this one since: nothing more goes to its card. What is to count is told anew for that member, under a number of its own; cancel this.',
  'reissued-too-often':
    'The card was issued anew several times already, and is gone again. Find out why at the partner.',
  'not-parked': 'It is not parked: it will be sent by itself.',
  erased: "The member's person was erased: nothing is left to send.",
  voided: 'A void or revocation has taken it back: it is never sent again. Resolve it, or cancel it.',
  'nothing-to-send':
    'It has no content that the partner could be sent. Map it in the programs file, or correct it first.',
  'not-a-member': 'Its member has left the program: it is not sent. Cancel it, or replay it once they have come back.',
  'too-many-put-back': 'Too many intents of this member have been put back already. Wait until they are sent.',
  'over-refund':
    'More of its receipt would come back than was paid. Correct or cancel what would come back; an admin may force a replay.',
  'changed-since': 'Something has become of it since it was selected. Look again.',
  blocks: 'It holds the queue of its member: resolve it by itself.',
  'replayed-too-often': `It was put back ${replaysWithoutForceMax} times or more and is parked again. Find out why; an admin may force it.`,
};

/** The action is not possible in the intent's present status. */
export function refusedAction(reason: RefusedAction): ApiProblem {
  const detail = details[reason];
  return new ApiProblem({
    status: 409,
    code: reason,
    title: 'The intent is in a state in which this cannot be done',
    ...(detail === undefined ? {} : { detail }),
  });
}
