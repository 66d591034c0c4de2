import type { SqlSession } from '#platform';

import { destroyKey } from '../erasure/destroy-key.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { cancelQueued } from './cancel-queued.js';
import type { Member } from './find-members.js';

/**
 * The erasure of contracts.md section 7: cancels what is queued, parks as `erased` what cannot be cancelled because it
 * may have taken effect, and destroys the member's key. What is on its way to the partner right now is settled by its
 * answer; should it need another try, delivery finds that it can no longer be opened and parks it, too. The lane is
 * locked.
 * @returns the last erased seq
 */
export async function eraseMember(
  session: SqlSession,
  request: { readonly member: Member; readonly now: number },
  keys: MemberKeys,
): Promise<number> {
  const { member, now } = request;
  const { laneId } = member;
  const word = { by: 'source-event', reason: 'opted-out' };
  await cancelQueued(session, { laneId, now, ...word, rest: 'park-as-erased', sparesOptOuts: false }, keys);
  return destroyKey(session, laneId);
}
