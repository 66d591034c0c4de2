import type { PartnerCommand } from '#domain';
import type { SqlSession } from '#platform';

import { destroyKey } from '../erasure/destroy-key.js';
import { findOpenOptOuts } from '../erasure/find-open-opt-outs.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';
import { within } from '../operator/within.js';
import { cancelQueued } from './cancel-queued.js';
import type { Member } from './find-members.js';

export interface ErasedMember {
  readonly erasedSeq: number;
  /** What earlier opt-outs had still to tell the partner: whoever erases must tell it. */
  readonly untold: readonly PartnerCommand[];
}

/**
 * The erasure of contracts.md section 7: cancels what is queued, parks as `erased` what cannot be cancelled because it
 * may have taken effect, and destroys the member's key. What is on its way to the partner right now is settled by its
 * answer; should it need another try, delivery finds that it can no longer be opened and parks it, too. The lane is
 * locked.
 */
export async function eraseMember(
  session: SqlSession,
  request: { readonly member: Member; readonly now: number },
  keys: MemberKeys,
): Promise<ErasedMember> {
  const { member, now } = request;
  const { laneId } = member;
  const optOuts = await findOpenOptOuts(session, laneId);
  const loaded = await loadCommands(within(session), optOuts.slice(-loadCommandsMax), keys);
  const untold = loaded.flatMap(({ current }) => (current.kind === 'command' ? [current.command] : []));
  const word = { by: 'source-event', reason: 'opted-out' };
  await cancelQueued(session, { laneId, now, ...word, rest: 'park-as-erased', sparesOptOuts: false }, keys);
  return { erasedSeq: await destroyKey(session, laneId), untold };
}
