import type { IdentityPlace, IntentEvent, PartnerCommand } from '#intents/core';
import { consentedPaths, decide, plannedAnewBy, profilePaths, withoutProfilePaths } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { isOptOut } from '../events/opt-outs.js';
import { operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers, loadIntentState } from '../lanes/locked-lane.js';
import { loadCommands, loadCommandsMax } from './load-commands.js';

const by = 'source-event';
const reason = 'overtaken';

/** SQL: whether an update (`i`) may lose what others have said since: not what a person has given it, nor what an erasure tells. */
export const mayBeShortened = `NOT EXISTS (SELECT FROM erasure e WHERE e.lane_id = i.lane_id AND i.seq <= e.until_seq)
  AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq
    AND e.type = 'IntentCorrected' AND e.data->>'by' NOT IN ('${by}', '${plannedAnewBy.by}'))`;

interface Shortening {
  readonly place: IdentityPlace;
  /** What is left of the command; null: nothing, and it is cancelled. */
  readonly rest: PartnerCommand | null;
  readonly now: number;
}

/**
 * Takes out of an update what something newer has said, as far as nothing of it can have taken effect. The lane is locked.
 * @returns what happened to it; null: nothing
 */
export async function shortenUpdate(
  session: SqlSession,
  { place, rest, now }: Shortening,
  keys: MemberKeys,
): Promise<IntentEvent | null> {
  const { state, isUntouched } = await loadIntentState(session, place);
  if (!isUntouched) return null;
  const decision = decide(state, { type: rest === null ? 'CancelIntent' : 'CorrectIntent', at: now, by, reason });
  const [event] = decision.kind === 'events' ? decision.events : [];
  if (event === undefined) return null;
  const evidence = rest === null ? null : JSON.stringify({ command: rest });
  await appendByOthers(session, { ...place, event, evidence, settles: rest === null }, keys);
  return event;
}

const findReplayedUpdateStatement: SqlStatement = {
  name: 'find_replayed_update',
  text: `
SELECT ${isOptOut('i')} AS "isOptOut" FROM intent i
WHERE i.lane_id = $1 AND i.seq = $2 AND i.operation IN (${operationList('changes')}) AND ${mayBeShortened}`,
};

/**
 * Later intents of the lane that have told the partner something of the profile. An enrolment that found a pass has told
 * nothing itself: the update that follows it does. A first enrolment is never stale: one that is older has told less.
 */
const findToldSinceStatement: SqlStatement = {
  name: 'find_told_since',
  text: `
SELECT i.lane_id AS "laneId", i.seq FROM intent i
WHERE i.lane_id = $1 AND i.seq > $2 AND i.operation IN (${operationList('makes', 'changes')})
  AND EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq
    AND (e.type IN ('AttemptApplied', 'VerifiedApplied') OR e.type = 'IntentResolved' AND e.data->>'as' = 'delivered'))
  AND (i.operation NOT LIKE 'issue%' OR NOT EXISTS (SELECT FROM intent f WHERE f.lane_id = i.lane_id AND f.seq > i.seq
    AND (f.topic, f.partition, f.kafka_offset) = (i.topic, i.partition, i.kafka_offset)))
  AND (i.operation NOT LIKE 'issue%' OR LEAST(i.occurred_at, i.recorded_at) >= (
    SELECT LEAST(u.occurred_at, u.recorded_at) FROM intent u WHERE u.lane_id = $1 AND u.seq = $3))
ORDER BY i.seq LIMIT ${loadCommandsMax}`,
};

/** The paths of an update that the partner has been told something newer of since it was recorded, page by page. */
async function sentSince(
  session: SqlSession,
  { place, isOptOut: isConsent }: { readonly place: IdentityPlace; readonly isOptOut: boolean },
  keys: MemberKeys,
): Promise<ReadonlySet<string>> {
  const told = new Set<string>();
  let after: IdentityPlace | undefined = place;
  while (after !== undefined) {
    const parameters: readonly number[] = [after.laneId, after.seq, place.seq];
    const { rows }: { readonly rows: IdentityPlace[] } = await session.query(findToldSinceStatement, parameters);
    for (const { current } of await loadCommands(within(session), rows, keys)) {
      const command = current.kind === 'command' ? current.command : null;
      for (const path of isConsent ? consentedPaths(command) : profilePaths(command)) told.add(path);
    }
    after = rows.length < loadCommandsMax ? undefined : rows.at(-1);
  }
  return told;
}

/**
 * An update that is sent again behind newer ones of its lane loses what they have told the partner: the newest counts, field
 * by field, whoever says when it is sent. Of an opt-out that is what they consent to, nothing else. The lane is locked.
 * @returns what happened to it; null: it says what it said
 */
export async function takeOutdated(
  session: SqlSession,
  { place, now }: { readonly place: IdentityPlace; readonly now: number },
  keys: MemberKeys,
): Promise<IntentEvent | null> {
  const { laneId, seq } = place;
  const [update] = (await session.query<{ isOptOut: boolean }>(findReplayedUpdateStatement, [laneId, seq])).rows;
  if (update === undefined) return null;
  const [loaded] = await loadCommands(within(session), [place], keys);
  if (loaded?.current.kind !== 'command') return null;
  const { command } = loaded.current;
  const rest = withoutProfilePaths(command, await sentSince(session, { place, ...update }, keys));
  return rest === command ? null : shortenUpdate(session, { place, rest, now }, keys);
}
