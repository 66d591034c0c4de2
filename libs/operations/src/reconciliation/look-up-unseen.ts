import type { CallFailure } from '#gateway';
import type { Job, UnseenMember } from '#intents';

import type { PartnerReader } from '../partner-reading/partner-reader.js';
import { readingTurnMs } from '../partner-reading/reading-limits.js';
import type { Tally } from '../partner-reading/tally.js';
import type { Confirmation } from './confirm-missing.js';
import { confirmMissing } from './confirm-missing.js';
import { wantsRepair } from './reconciliation-cursor.js';

/** A lookup, and a count where absence must be proved twice. */
const callsOfRepair = 2;

export interface MissingMember {
  readonly member: UnseenMember;
  /** Proof for a repair: personal. */
  readonly evidence: string | null;
}

/** What became of the members that a turn came to, and where it stopped. */
export interface LookedUp {
  readonly missing: readonly MissingMember[];
  /** The last lane that is done with. */
  readonly lane: number;
  /** Null where all were looked at. */
  readonly stoppedBy: 'time' | CallFailure | null;
}

export interface UnseenToLookUp {
  readonly job: Job;
  readonly members: readonly UnseenMember[];
  readonly callsPerSecond: number;
  /** Where the job stands, and where it stands when all are done with. */
  readonly from: number;
  readonly until: number;
  readonly tally: Tally;
}

/** Looks up, in lane order, as many as there is time for. What proves nothing, and what is there after all, is counted. */
export async function lookUpUnseen(reader: PartnerReader, work: UnseenToLookUp): Promise<LookedUp> {
  const { job, members, tally } = work;
  const { clock } = reader.tools;
  const { program } = reader.programOf(job);
  const isForRepair = wantsRepair(job);
  const rate = isForRepair ? work.callsPerSecond / callsOfRepair : work.callsPerSecond;
  const endAt = clock.monotonic() + readingTurnMs;
  const missing: MissingMember[] = [];
  let lane = work.from;
  for (const member of members) {
    if (!isPassedOver(member, tally)) {
      const isInTime = await reader.guests.awaitTurn(job, rate, endAt - clock.monotonic());
      if (!isInTime) return { missing, lane, stoppedBy: 'time' };
      const confirmed = await confirmMissing(reader.tools, { program, member, isForRepair });
      if (confirmed.kind === 'trouble') return { missing, lane, stoppedBy: confirmed.failure };
      if (confirmed.kind === 'missing') missing.push({ member, evidence: confirmed.evidence });
      else note(confirmed, member, tally);
    }
    lane = member.laneId;
  }
  return { missing, lane: work.until, stoppedBy: null };
}

/** Whose pass we know since a short while only, and who is erased, is not looked for. */
function isPassedOver({ isNew, isErased }: UnseenMember, tally: Tally): boolean {
  if (isErased) tally.add('left');
  else if (isNew) tally.add('newMeanwhile');
  return isErased || isNew;
}

function note(
  confirmed: Exclude<Confirmation, { kind: 'missing' | 'trouble' }>,
  { memberId }: UnseenMember,
  tally: Tally,
): void {
  if (confirmed.kind === 'listed-late') tally.add('listedLate');
  else tally.found('unconfirmed', 'unconfirmed', { memberId, code: confirmed.code });
}
