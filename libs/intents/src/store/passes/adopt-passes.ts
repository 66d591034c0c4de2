import type { WalletPass } from '#contracts';
import type { ProgramReference } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import type { NamedKeys } from '../batch/members.js';
import { createMembers } from '../batch/members.js';
import { BatchRaceError } from '../batch/recording.js';
import { clearData, timestamp } from '../events/stored-event.js';
import { SoughtNames } from '../erasure/erased-names.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { evidencePlace } from '../keys/member-keys.js';
import { openInLane } from '../lanes/locked-lane.js';
import { holdPasses } from './pass-holders.js';
import { releaseMissing } from './release-missing.js';

/** How a member's last enrolment stands; `none`: we have none. */
type EnrolmentStatus = 'none' | 'waiting' | 'pending' | 'unknown' | 'delivered' | 'parked' | 'cancelled';

/** What we know of a member whom the partner's listing names. */
export interface MatchedMember {
  readonly memberId: string;
  readonly laneId: number;
  readonly generation: number;
  /** Unwrapped; null once it is destroyed. */
  readonly key: Uint8Array | null;
  /** An erasure has been asked for. */
  readonly isLeaving: boolean;
  /** The member has left the program, and not come back. */
  readonly hasLeft: boolean;
  readonly pass: 'unknown' | 'absent' | 'known';
  readonly enrolment: EnrolmentStatus;
  /** The last enrolment's place in its lane; 0 where there is none. */
  readonly enrolmentSeq: number;
  /** Nothing is left to be sent. */
  readonly isIdle: boolean;
}

const matchMembersStatement: SqlStatement = {
  name: 'match_members',
  text: `
SELECT m.member_id AS "memberId", m.lane_id AS "laneId", m.generation, k.wrapped_key AS "wrappedKey",
  e.lane_id IS NOT NULL AS "isLeaving", m.left_at IS NOT NULL AND m.back_at IS NULL AS "hasLeft", COALESCE(l.pass, 'unknown') AS pass,
  COALESCE(l.issue_seq, 0) AS "enrolmentSeq", COALESCE(l.cur_seq > l.tail_seq, true) AS "isIdle",
  CASE WHEN l.issue_seq IS NULL THEN 'none' WHEN s.status IS NOT NULL THEN s.status
    WHEN ${openInLane('l.issue_seq')} THEN 'pending' ELSE 'delivered' END AS enrolment
FROM unnest($2::text[]) AS w (member_id)
JOIN member m ON m.program_id = $1 AND m.member_id = w.member_id
LEFT JOIN member_key k ON k.lane_id = m.lane_id
LEFT JOIN erasure e ON e.lane_id = m.lane_id
LEFT JOIN lane l ON l.lane_id = m.lane_id
LEFT JOIN intent_standing s ON s.lane_id = m.lane_id AND s.seq = l.issue_seq`,
};

type Row = Omit<MatchedMember, 'key'> & { readonly wrappedKey: Buffer | null };

/** The program's members of these ids, those that exist, erased or not, by id. */
export async function matchMembers(
  database: Pick<Database, 'execute'>,
  { program, memberIds }: { readonly program: string; readonly memberIds: readonly string[] },
  keys: NamedKeys,
): Promise<Map<string, MatchedMember>> {
  const names = memberIds.map((memberId) => ({ program, memberId }));
  const sought = new SoughtNames(keys.mac, names);
  const { rows } = await database.execute<Row>(matchMembersStatement, [program, sought.memberIds]);
  return new Map(
    rows.map(({ wrappedKey, ...member }) => {
      const key = wrappedKey === null ? null : keys.members.learn(member.laneId, wrappedKey);
      const memberId = sought.memberIdOf(member.memberId);
      return [memberId, { ...member, memberId, key }];
    }),
  );
}

/** Looks at the same members: whoever creates one of them meanwhile costs one more. */
const matchTriesMax = 5;

interface MembersToEnsure {
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
  keys: NamedKeys,
): Promise<Map<string, MatchedMember>> {
  for (let tries = 1; ; tries += 1) {
    const known = await matchMembers(database, request, keys);
    const missing = new Set(request.memberIds.filter((memberId) => !known.has(memberId)));
    if (missing.size === 0) return known;
    if (tries >= matchTriesMax) throw new BatchRaceError('member');
    await tryCreate(database, { ...request, memberIds: [...missing] }, keys);
  }
}

async function tryCreate(database: Database, request: MembersToEnsure, keys: NamedKeys): Promise<void> {
  const { program, now } = request;
  const names = request.memberIds.map((memberId) => ({ program, memberId }));
  try {
    await database.transaction('create_listed_members', (session) => createMembers(session, { names, now }, keys));
  } catch (error) {
    if (!(error instanceof BatchRaceError)) throw error;
  }
}

/** Passes in one statement: sealed, each takes a KiB or so. */
const adoptPassesMax = 2_000;

/** Of the lane itself, not of an intent. */
const laneSeq = 0;

/**
 * The lanes that know no pass yet come to know it, in lane order; a new one is made where the member has none. What
 * waits becomes due; a lane that is leased is not touched but for its revision: what its owner decides without having
 * read this is refused.
 */
const adoptPassesStatement: SqlStatement = {
  name: 'adopt_passes',
  text: `
INSERT INTO lane AS l (lane_id, program_id, version, pass)
SELECT lane_id, $1, 1, 'known' FROM unnest($2::bigint[]) AS w (lane_id) ORDER BY lane_id
ON CONFLICT (lane_id) DO UPDATE SET version = l.version + 1, revision = l.revision + 1, pass = 'known',
  due_at = CASE WHEN l.state = 'waiting' AND l.owner IS NULL THEN $3::timestamptz ELSE l.due_at END
WHERE l.pass <> 'known'
RETURNING lane_id AS "laneId", version, epoch`,
};

/** Their evidence is bound to the versions that the lanes have given. */
const recordAdoptedStatement: SqlStatement = {
  name: 'record_adopted_passes',
  text: `
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT w.lane_id, ${laneSeq}, w.version, 0, w.epoch, 'PassAdopted', $5::timestamptz, $6::jsonb, w.sealed
FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bytea[]) AS w (lane_id, version, epoch, sealed) ORDER BY w.lane_id`,
};

/** A pass that the listing shows, and whose it is. */
export interface PassToAdopt {
  readonly laneId: number;
  readonly key: Uint8Array;
  readonly pass: WalletPass;
}

interface PassesToAdopt {
  readonly program: string;
  /** Where the partner has them. */
  readonly place: ProgramReference;
  readonly passes: readonly PassToAdopt[];
  /** The job that found them, and on which page. */
  readonly job: string;
  readonly page: number;
  readonly now: number;
  /** The program sends what was kept while a member was away. */
  readonly sendsKept?: boolean;
}

/** Read back by `issuedPass`, as the answer of an issue is. */
function evidenceOf(pass: WalletPass, { job, page }: PassesToAdopt): string {
  return JSON.stringify({ listing: { job, page }, response: { body: JSON.stringify(pass) } });
}

interface AdoptingLane {
  readonly laneId: number;
  readonly version: number;
  readonly epoch: number;
}

async function adoptSome(session: SqlSession, request: PassesToAdopt, keys: MemberKeys): Promise<number[]> {
  const { program, passes, job, now } = request;
  const laneIds = passes.map(({ laneId }) => laneId);
  const { rows } = await session.query<AdoptingLane>(adoptPassesStatement, [program, laneIds, timestamp(now)]);
  const shown = new Map(passes.map((each) => [each.laneId, each]));
  const adopted = rows.flatMap((lane) => {
    const found = shown.get(lane.laneId);
    return found === undefined ? [] : [{ ...lane, ...found }];
  });
  await session.query(recordAdoptedStatement, [
    adopted.map(({ laneId }) => laneId),
    adopted.map(({ version }) => version),
    adopted.map(({ epoch }) => epoch),
    adopted.map(({ pass, ...lane }) => {
      const place = evidencePlace({ ...lane, seq: laneSeq, type: 'PassAdopted', attempt: 0 });
      return keys.sealFor(place, evidenceOf(pass, request));
    }),
    timestamp(now),
    clearData({ type: 'PassAdopted', at: now, job }),
  ]);
  return adopted.map(({ laneId }) => laneId);
}

/** Those that did not know their pass before; `refused`: whose pass is another member's card, in a sentence each. */
export interface AdoptedPasses {
  readonly adopted: Set<number>;
  readonly refused: ReadonlyMap<number, string>;
}

/**
 * Records passes that we did not know as facts of their members' lanes, sealed; one of each lane. What parked for the lack
 * of one is sent. Repeating it changes nothing.
 */
export async function adoptPasses(
  session: SqlSession,
  request: PassesToAdopt,
  { members: keys, mac }: NamedKeys,
): Promise<AdoptedPasses> {
  const { place } = request;
  const shown = request.passes.map(({ laneId, pass }) => ({ laneId, place, pass }));
  const refused = await holdPasses(session, shown, mac);
  const inOrder = request.passes
    .filter(({ laneId }) => !refused.has(laneId))
    .toSorted((one, other) => one.laneId - other.laneId);
  const adopted = new Set<number>();
  for (let from = 0; from < inOrder.length; from += adoptPassesMax) {
    const passes = inOrder.slice(from, from + adoptPassesMax);
    const laneIds = await adoptSome(session, { ...request, passes }, keys);
    const members = laneIds.map((laneId) => ({ laneId, sendsKept: request.sendsKept ?? false }));
    await releaseMissing(session, { members, now: request.now }, keys);
    for (const laneId of laneIds) adopted.add(laneId);
  }
  return { adopted, refused };
}
