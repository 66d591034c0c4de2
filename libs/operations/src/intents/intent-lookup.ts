import { Inject, Injectable } from '@nestjs/common';

import type { IdentityPlace } from '#domain';
import type { ArchivedIntent, ListedIntent } from '#intents';
import { findArchivedIntent, findIntent, listIntents } from '#intents';

import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import { intentNames } from './intent-names.js';

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
