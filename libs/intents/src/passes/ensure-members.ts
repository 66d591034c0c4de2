import type { Database } from '#platform';

import { createMembers } from '../batch/members.js';
import { BatchRaceError } from '../batch/recording-transaction.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { MatchedMember } from './match-members.js';
import { matchMembers } from './match-members.js';

/** Looks at the same members: whoever creates one of them meanwhile costs one more. */
const looksMax = 5;

export interface MembersToEnsure {
  readonly program: string;
  readonly memberIds: readonly string[];
  readonly now: number;
}

/**
 * The members of these ids, created where there are none, each with a key: in a transaction of its own. A member of whom
 * nothing else is recorded is no harm: there is no lane to do anything with.
 * @throws {BatchRaceError} where others created some of them every time
 */
export async function ensureMembers(
  database: Database,
  request: MembersToEnsure,
  keys: MemberKeys,
): Promise<Map<string, MatchedMember>> {
  for (let look = 1; ; look += 1) {
    const known = await matchMembers(database, request, keys);
    const missing = new Set(request.memberIds.filter((memberId) => !known.has(memberId)));
    if (missing.size === 0) return known;
    if (look >= looksMax) throw new BatchRaceError('member');
    await tryCreate(database, { ...request, memberIds: [...missing] }, keys);
  }
}

async function tryCreate(database: Database, request: MembersToEnsure, keys: MemberKeys): Promise<void> {
  const { program, now } = request;
  const names = request.memberIds.map((memberId) => ({ program, memberId }));
  try {
    await database.transaction('create_listed_members', (session) => createMembers(session, { names, now }, keys));
  } catch (error) {
    if (!(error instanceof BatchRaceError)) throw error;
  }
}
