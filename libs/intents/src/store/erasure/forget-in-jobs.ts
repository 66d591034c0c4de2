import { memberFactor } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { erasedName } from './erased-names.js';

/** Where the request of a job may name one member. A part of a name that was searched for may be of others, and stays. */
const paths = ['{memberId}', '{query,memberId}', '{query,q}', '{select,memberId}'];

const names = (path: string): string => `request #>> '${path}' = $2`;

const renamed = paths.reduce(
  (request, path) =>
    `CASE WHEN ${names(path)} THEN jsonb_set(${request}, '${path}', to_jsonb($3::text)) ELSE ${request} END`,
  'request',
);

const forgetStatement: SqlStatement = {
  name: 'forget_in_jobs',
  text: `UPDATE job SET request = ${renamed} WHERE program_id = $1 AND (${paths.map(names).join(' OR ')})`,
};

interface ForgottenMembers {
  readonly program: string;
  readonly memberIds: readonly string[];
}

const forgetInPausesStatement: SqlStatement = {
  name: 'forget_in_pauses',
  text: `UPDATE pause SET factor = $3 WHERE program_id = $1 AND factor = $2`,
};

/** Jobs and pauses of members name them as their rows do from now on. */
export async function forgetInJobs(
  session: SqlSession,
  { program, memberIds }: ForgottenMembers,
  macKey: Uint8Array,
): Promise<void> {
  for (const memberId of memberIds) {
    const name = erasedName(macKey, memberId);
    await session.query(forgetStatement, [program, memberId, name]);
    await session.query(forgetInPausesStatement, [program, memberFactor(memberId), memberFactor(name)]);
  }
}
