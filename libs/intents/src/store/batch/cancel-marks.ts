import type { CancelRequest, IdentityPlace, IntentEvent } from '#intents/core';
import { decide } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { int4Array, int8Array, keyedDigest, SealBrokenError } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { readSourceEvent } from '../keys/member-keys.js';
import type { MemberSealPlace } from '../keys/seal-place.js';
import type { LoadedIntentState } from '../lanes/locked-lane.js';
import { appendByOthers, loadIntentState } from '../lanes/locked-lane.js';
import { takesBack } from '../lanes/receipt-account.js';
import type { CancelMark, CancelMarks, IdentityToInsert } from './identities.js';
import { isCancelled, noMembersLane } from './identities.js';
import type { Member, MemberCache } from './members.js';
import { memberKey } from './members.js';
import type { IntentToPlace, PlacedIntent } from './place-intents.js';
import { occurredAt, sourceText } from './place-intents.js';
import type { ProfileMarkTable } from './profile-marks.js';
import type { PreparedRecord, RecordingContext } from './recording.js';
import { BatchRaceError } from './recording.js';

const insertMarkStatement: SqlStatement = {
  name: 'insert_cancel_mark',
  text: `
INSERT INTO cancel_mark (key, lane_id, reason, total_mac, topic, partition, kafka_offset, happened_at, sealed, named_lane_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
};

/** A mark keeps its record under its own key, its member's lane, and whence it came: another one may be left there after it. */
function markPlace({ laneId, key, cause }: MarkOf): MemberSealPlace {
  const { topic, partition, offset } = cause;
  return { column: 'cancel_mark.sealed', laneId, key, topic, partition, offset };
}

type MarkOf = Pick<CancelMark, 'laneId' | 'key'> & { readonly cause: Omit<CancelMark['cause'], 'timeMs'> };

function totalDigest(total: string | undefined, macKey: Uint8Array): Buffer | null {
  return total === undefined ? null : keyedDigest(macKey, total);
}

interface MarkToLeave {
  readonly key: Buffer;
  readonly cancel: CancelRequest;
  readonly record: PreparedRecord;
  /** Null: it names none. */
  readonly member: Member | null;
  /** Whom it names where that one lives on in `member`; null: nobody else. */
  readonly absorbed: Member | null;
}

/** Stores what a mark says; that it is one, its row of `dedup` says. */
export async function insertMark(
  session: SqlSession,
  { key, cancel, record, member, absorbed }: MarkToLeave,
  {
    keys,
    macKey,
    context,
  }: { readonly keys: MemberKeys; readonly macKey: Uint8Array; readonly context: RecordingContext },
): Promise<void> {
  const { topic, partition } = context.sourceOf(record.original);
  const laneId = member?.laneId ?? noMembersLane;
  const { offset } = record.original;
  const place = markPlace({ laneId, key, cause: { topic, partition, offset } });
  await session.query(insertMarkStatement, [
    key,
    laneId,
    cancel.reason,
    totalDigest(cancel.total, macKey),
    topic,
    partition,
    offset,
    timestamp(occurredAt(record)),
    member?.key ? keys.sealFor({ ...place, memberKey: member.key }, sourceText(record)) : null,
    absorbed?.laneId ?? null,
  ]);
}

const takeMarksStatement: SqlStatement = {
  name: 'take_cancel_marks',
  text: `
UPDATE dedup d SET kind = 'business', body_mac = w.mac, lane_id = w.lane_id, seq = w.seq, seen_on = ($5::timestamptz)::date
FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::int[], $6::boolean[]) AS w (key, mac, lane_id, seq, is_cancelled)
WHERE d.key = w.key AND d.kind = 'mark' AND (d.body_mac <> ''::bytea) = w.is_cancelled`,
};

const cancelAwaitedStatement: SqlStatement = {
  name: 'cancel_awaited',
  text: `UPDATE dedup SET body_mac = $2 WHERE key = ANY ($1::bytea[]) AND kind = 'mark'`,
};

/**
 * What is waited for is to be cancelled from now on when it comes.
 * @throws {BatchRaceError} when it came meanwhile
 */
export async function cancelAwaited(session: SqlSession, keys: readonly Uint8Array[]): Promise<void> {
  const { rowCount } = await session.query(cancelAwaitedStatement, [keys, isCancelled]);
  if (rowCount < keys.length) throw new BatchRaceError('identity');
}

/** Which of these identities are waited for under a mark, and which are to be inserted. */
export function splitMarked(
  identities: readonly IdentityToInsert[],
  awaited: ReadonlyMap<string, boolean>,
): { readonly taken: IdentityToInsert[]; readonly fresh: IdentityToInsert[] } {
  if (awaited.size === 0) return { taken: [], fresh: [...identities] };
  const isMarked = ({ key }: IdentityToInsert): boolean => awaited.has(Buffer.from(key).toString('hex'));
  return { taken: identities.filter(isMarked), fresh: identities.filter((identity) => !isMarked(identity)) };
}

/**
 * Makes marks the identities of what they were waiting for.
 * @throws {BatchRaceError} when another batch was faster, or has left a void of it since it was looked up
 */
export async function takeMarks(
  session: SqlSession,
  {
    identities,
    awaited,
    now,
  }: {
    readonly identities: readonly IdentityToInsert[];
    readonly awaited: ReadonlyMap<string, boolean>;
    readonly now: number;
  },
): Promise<void> {
  const { rowCount } = await session.query(takeMarksStatement, [
    identities.map(({ key }) => key),
    identities.map(({ contentMac }) => contentMac),
    int8Array(identities.map(({ laneId }) => laneId)),
    int4Array(identities.map(({ seq }) => seq)),
    timestamp(now),
    identities.map(({ key }) => awaited.get(Buffer.from(key).toString('hex')) === true),
  ]);
  if (rowCount < identities.length) throw new BatchRaceError('identity');
}

interface MarkTools {
  readonly marks: CancelMarks;
  readonly members: Pick<MemberCache, 'ofLane'>;
  readonly profiles: Pick<ProfileMarkTable, 'survivorOf'>;
  readonly keys: MemberKeys;
  readonly macKey: Uint8Array;
  readonly now: number;
}

/**
 * What was cancelled before it came is cancelled as it is recorded; where the mark names another member or total, a person
 * must look. What a lost history may have sent is in doubt: a cancel is requested of it, as of what is under way. `placed[i]`
 * is `items[i]`.
 */
export async function applyMarks(
  session: SqlSession,
  { items, placed }: { readonly items: readonly IntentToPlace[]; readonly placed: readonly PlacedIntent[] },
  tools: MarkTools,
): Promise<void> {
  if (tools.marks.size === 0) return;
  for (const [index, { identity, ownsIdentity }] of items.entries()) {
    const mark = ownsIdentity ? tools.marks.get(identity.businessKey?.toString('hex') ?? '') : undefined;
    const at = placed[index];
    if (mark === undefined || at === undefined) continue;
    await applyMark(session, { mark, placed: at }, tools);
  }
}

async function applyMark(
  session: SqlSession,
  { mark, placed: at }: Pick<Met, 'mark' | 'placed'>,
  tools: MarkTools,
): Promise<void> {
  const whose = await ownerOf(session, { mark, placed: at }, tools);
  // What stands in a list already does so for another reason, too.
  if (at.intent.parked !== null && disputeOf({ mark, placed: at, whose }, tools.macKey) !== null) return;
  const { laneId, seq, key } = at;
  const loaded = await loadIntentState(session, at);
  const { event, evidence } = eventOf({ mark, placed: at, whose }, tools, loaded);
  const settles = event.type !== 'CancelRequested';
  await appendByOthers(session, { laneId, seq, key, event, evidence, settles }, tools.keys);
  await closeAside(session, { ...mark, laneIds: whose.isSame ? [laneId, mark.laneId] : [laneId] }, tools);
}

/** Whose a mark is. */
interface MarkOwner {
  /** It names who the intent is owed to, or lives on in them, or names nobody. */
  readonly isSame: boolean;
  /** What the mark is sealed with; null: that was destroyed. */
  readonly key: Uint8Array | null;
}

async function ownerOf(
  session: SqlSession,
  { mark, placed }: Pick<Met, 'mark' | 'placed'>,
  { members, profiles }: MarkTools,
): Promise<MarkOwner> {
  if (mark.laneId === placed.laneId || mark.laneId === noMembersLane) return { isSame: true, key: placed.key };
  const named = await members.ofLane(session, mark.laneId);
  // Also where it was told while they lived on in another one, by a merge that was taken back since.
  const isSame =
    mark.namedLaneId === placed.laneId || memberKey(profiles.survivorOf(named)) === memberKey(placed.intent);
  return { isSame, key: named.key };
}

/** A mark and what it was left for. */
interface Met {
  readonly mark: CancelMark;
  readonly placed: PlacedIntent;
  readonly whose: MarkOwner;
}

const findAsideStatement: SqlStatement = {
  name: 'find_marking_intents',
  text: `
SELECT i.lane_id AS "laneId", i.seq FROM intent_standing s JOIN intent i USING (lane_id, seq)
WHERE s.lane_id = ANY ($1::bigint[]) AND s.status = 'parked' AND s.reason = 'missing-purchase' AND i.waits_for_key = $2 AND ${takesBack('i')}
ORDER BY i.lane_id, i.seq`,
};

/** What left the mark stood in a list until now: it has done what it was for, or what it means stands there in its place. */
async function closeAside(
  session: SqlSession,
  { key, laneIds, reason }: Pick<CancelMark, 'key' | 'reason'> & { readonly laneIds: readonly number[] },
  tools: MarkTools,
): Promise<void> {
  const { rows } = await session.query<IdentityPlace>(findAsideStatement, [int8Array(laneIds), key]);
  for (const place of rows) {
    const event = { type: 'IntentCancelled', at: tools.now, by: 'source-event', reason } as const;
    await appendByOthers(session, { ...place, event, evidence: null, settles: true }, tools.keys);
  }
}

const dropMarkStatement: SqlStatement = {
  name: 'drop_cancel_mark',
  text: `
WITH gone AS (
  DELETE FROM cancel_mark c USING intent i
  WHERE i.lane_id = $1 AND i.seq = $2 AND ${takesBack('i')} AND c.key = i.waits_for_key AND c.lane_id = i.lane_id
    AND NOT EXISTS (
      SELECT FROM intent_standing s JOIN intent o USING (lane_id, seq)
      WHERE s.lane_id = $1 AND s.status = 'parked' AND s.reason = 'missing-purchase' AND o.waits_for_key = c.key AND ${takesBack('o')})
  RETURNING c.key)
UPDATE dedup d SET body_mac = ''::bytea FROM gone WHERE d.key = gone.key AND d.kind = 'mark'`,
};

/** A person has given up what stood in a list until what it means comes: that is not cancelled any more. Of any other intent nothing changes. */
export async function dropMark(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<void> {
  await session.query(dropMarkStatement, [laneId, seq]);
}

function eventOf(
  met: Met,
  { keys, macKey, now: at }: MarkTools,
  loaded: LoadedIntentState,
): { readonly event: IntentEvent; readonly evidence: string | null } {
  const { mark, whose } = met;
  const { reason, cause } = mark;
  const record = whose.isSame ? openMark(mark, whose.key, keys) : null;
  const evidence = record === null ? {} : { record };
  const dispute = disputeOf(met, macKey);
  if (dispute === null) {
    const event = cancelling({ at, by: 'source-event', reason, cause }, loaded);
    return { event, evidence: record === null ? null : JSON.stringify(evidence) };
  }
  const detail = `${reason} before it came, by an event that ${dispute}`;
  const why = loaded.isUntouched ? 'conflict' : 'unknown-outcome';
  const event = { type: 'IntentParked', at, reason: why, lane: 'continue', cause } as const;
  return { event, evidence: JSON.stringify({ detail, ...evidence }) };
}

/** What the mark says otherwise than what came; null: nothing. */
function disputeOf({ mark, placed, whose }: Met, macKey: Uint8Array): string | null {
  if (!whose.isSame) return 'names another member';
  if (!agrees(mark, totalDigest(placed.intent.total, macKey))) return 'names another total';
  // A suspended basket, or a number used again: it does not mean this sale.
  const isOlder = mark.reason === 'voided' && mark.cause.timeMs < occurredAt(placed.record);
  return isOlder ? 'is older than it' : null;
}

type Cause = Omit<Extract<IntentEvent, { type: 'CancelRequested' }>, 'type'>;

function cancelling(request: Cause, { state, isUntouched }: LoadedIntentState): IntentEvent {
  const decision = isUntouched ? null : decide(state, { type: 'RequestCancel', ...request });
  const [requested] = decision?.kind === 'events' ? decision.events : [];
  return requested ?? { type: 'IntentCancelled', ...request };
}

/** Whether both name the same amount; who names none does not disagree. */
function agrees({ totalMac }: CancelMark, total: Buffer | null): boolean {
  return total === null || totalMac === null || totalMac.equals(total);
}

/** Null where the member's key has been destroyed since. */
function openMark(mark: CancelMark, memberKey: Uint8Array | null, keys: MemberKeys): unknown {
  const { sealed } = mark;
  if (sealed === null || memberKey === null) return null;
  try {
    return readSourceEvent(keys.openFor({ ...markPlace(mark), memberKey }, sealed)).sourceRecord;
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
