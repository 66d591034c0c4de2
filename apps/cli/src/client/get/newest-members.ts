import type { IntentView } from '#contracts';

import type { ApiClient } from '../http/api-client.js';
import { pagedList } from '../http/list-pages.js';
import type { MemberName } from '../options/parse-options.js';

/** Intents that are looked at, at most: few members may have many. */
const intentsMax = 2_000;

/** Members whose intents were recorded last, the newest first: the API has no list of all members. */
export async function newestMembers(
  client: ApiClient,
  { since, limit }: { readonly since?: number; readonly limit: number },
): Promise<MemberName[]> {
  const query = since === undefined ? {} : { from: new Date(since).toISOString() };
  const names = new Map<string, MemberName>();
  for await (const { items } of pagedList<IntentView>(client, {
    ...{ path: '/intents', query, limit: intentsMax },
    isWanted: () => true,
  })) {
    for (const { program, memberId } of items) names.set(JSON.stringify([program, memberId]), { program, memberId });
    if (names.size >= limit) break;
  }
  return [...names.values()].slice(0, limit);
}
