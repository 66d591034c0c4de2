import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import type { Member } from './find-members.js';
import { memberKey } from './find-members.js';
import type { CorrectionToDo } from './plan-batch.js';

/** Lets enrolments that have not been begun say what they say now. The lanes are locked. */
export async function correctEnrolments(
  session: SqlSession,
  request: {
    readonly corrections: readonly CorrectionToDo[];
    readonly members: ReadonlyMap<string, Member>;
    readonly now: number;
  },
  keys: MemberKeys,
): Promise<void> {
  for (const { of, intent } of request.corrections) {
    const event = { type: 'IntentCorrected', at: request.now, by: 'source-event', reason: 'enrolled-again' } as const;
    const evidence = JSON.stringify({ command: intent.command });
    const key = request.members.get(memberKey(intent))?.key ?? null;
    await appendByOthers(session, { ...of, key, event, evidence, settles: false }, keys);
  }
}
