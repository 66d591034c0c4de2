import { Inject, Injectable } from '@nestjs/common';

import type { IdentityPlace } from '#domain';
import type { ArchivedIntent, IntentName } from '#intents';
import { findArchivedIntent, findIntent } from '#intents';

import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import { decodedPart } from '../requests/decoded-part.js';
import type { ListedIntent } from './list-intents.js';
import { listIntents } from './list-intents.js';

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

function hasLeft({ isCancelled, file, archivedAt }: ArchivedIntent): ApiProblem {
  const end = isCancelled ? 'cancelled' : 'delivered';
  const detail = `It was ${end}, and archived on ${new Date(archivedAt).toISOString()} in file ${file}.`;
  return new ApiProblem({ status: 410, code: 'intent-archived', title: 'The intent has left the database', detail });
}

/** Finds intents by the id in a path. */
@Injectable()
export class IntentLookup {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  /** @param id as it was sent @throws {ApiProblem} 404, 410 where retention has taken it */
  async find(id: string): Promise<IdentityPlace> {
    for (const name of intentNames(id)) {
      const place = await findIntent(this.settings.database, name);
      if (place !== null) return place;
      const archived = await findArchivedIntent(this.settings.database, name);
      if (archived !== null) throw hasLeft(archived);
    }
    throw noSuchIntent();
  }

  /** @throws {ApiProblem} 404 */
  async show({ laneId, seq }: IdentityPlace): Promise<ListedIntent> {
    const { database, clock } = this.settings;
    const { items } = await listIntents(database, { filter: { laneId, seq }, after: null, limit: 1 }, clock);
    const [intent] = items;
    if (intent === undefined) throw noSuchIntent();
    return intent;
  }
}
