import type { IdentityPlace } from '#intents/core';
import { consentedPaths, withoutProfilePaths } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { isOptOut } from '../events/opt-outs.js';
import { operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { openInLane } from '../lanes/locked-lane.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';
import { mayBeShortened, shortenUpdate } from '../operator/outdated-update.js';
import type { Member } from './members.js';
import { memberKey } from './members.js';
import type { TakenEnrolment } from './profile-marks.js';

/** In the order of lanes, page by page. */
const findQueuedUpdatesStatement: SqlStatement = {
  name: 'find_queued_updates',
  text: `
SELECT i.lane_id AS "laneId", i.seq, ${isOptOut('i')} AS "isOptOut" FROM lane l JOIN intent i ON i.lane_id = l.lane_id AND ${openInLane('i.seq')}
WHERE l.lane_id = ANY ($1::bigint[]) AND (i.lane_id, i.seq) > ($2::bigint, $3::int)
  AND i.operation IN (${operationList('changes')})
  AND ${mayBeShortened}
ORDER BY i.lane_id, i.seq LIMIT ${loadCommandsMax}`,
};

interface QueuedUpdate extends IdentityPlace {
  readonly isOptOut: boolean;
}

/** Updates that are queued in these lanes, behind the given place. */
async function findQueuedUpdates(
  session: SqlSession,
  laneIds: readonly number[],
  { laneId, seq }: IdentityPlace,
): Promise<readonly QueuedUpdate[]> {
  return (await session.query<QueuedUpdate>(findQueuedUpdatesStatement, [laneIds, laneId, seq])).rows;
}

interface EnrolledBatch {
  readonly enrolments: readonly TakenEnrolment[];
  readonly members: ReadonlyMap<string, Member>;
  readonly now: number;
}

/** By lane: its member's enrolment. Who is new or was erased has nothing queued. */
function enrolmentByLane({ enrolments, members }: EnrolledBatch): Map<number, TakenEnrolment> {
  const lanes = enrolments.flatMap((enrolment): [number, TakenEnrolment][] => {
    const member = members.get(memberKey(enrolment.intent));
    return member === undefined || member.key === null ? [] : [[member.laneId, enrolment]];
  });
  return new Map(lanes);
}

/**
 * An enrolment may go ahead of updates that were recorded before it. Where it says something newer than they do, they say
 * it no more; with nothing left to say they are cancelled. Only as far as nothing of them can have taken effect. Of an
 * opt-out that is what the enrolment consents to, nothing else. The lanes are locked.
 */
export async function dropOvertaken(session: SqlSession, batch: EnrolledBatch, keys: MemberKeys): Promise<void> {
  const lanes = enrolmentByLane(batch);
  if (lanes.size === 0) return;
  let after: IdentityPlace | undefined = { laneId: 0, seq: 0 };
  while (after !== undefined) {
    const page: readonly QueuedUpdate[] = await findQueuedUpdates(session, [...lanes.keys()], after);
    const optOuts = new Set(page.filter(({ isOptOut }) => isOptOut).map(nameOf));
    for (const { laneId, seq, current } of await loadCommands(within(session), page, keys)) {
      const command = current.kind === 'command' ? current.command : null;
      const overtaken = overtakenPaths(lanes.get(laneId), optOuts.has(nameOf({ laneId, seq })));
      const rest = command === null ? null : withoutProfilePaths(command, overtaken);
      // What came back the same says nothing of it.
      if (command !== rest) await shortenUpdate(session, { place: { laneId, seq }, rest, now: batch.now }, keys);
    }
    after = page.length < loadCommandsMax ? undefined : page.at(-1);
  }
}

const nameOf = ({ laneId, seq }: IdentityPlace): string => `${laneId}/${seq}`;

function overtakenPaths(enrolment: TakenEnrolment | undefined, isOptOut: boolean): ReadonlySet<string> {
  if (enrolment === undefined) return new Set();
  const { intent, newest } = enrolment;
  return isOptOut ? new Set(consentedPaths(intent.command).filter((path) => newest.has(path))) : newest;
}
