import { businessKeyText, enrolmentKeyOf } from '#intents/core';
import type { MatchedMember, MemberKeys, PassFacts } from '#intents';
import { issuedPass } from '#intents';
import type { Database, SqlStatement } from '#platform';
import { digest, SealBrokenError } from '#platform';

/** What an enrolment's answer or an adoption has shown last: at these two places of a lane, and nowhere else. */
const findKnownPassesStatement: SqlStatement = {
  name: 'find_known_passes',
  text: `
SELECT DISTINCT ON (w.lane_id) w.lane_id AS "laneId", e.seq, e.sealed
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, issue_seq)
JOIN intent_event e ON e.lane_id = w.lane_id AND e.seq IN (0, w.issue_seq)
WHERE e.sealed IS NOT NULL AND e.type IN ('AttemptApplied', 'VerifiedApplied', 'PassAdopted')
ORDER BY w.lane_id, e.version DESC`,
};

interface Row {
  readonly laneId: number;
  readonly seq: number;
  readonly sealed: Buffer;
}

function open({ laneId, seq, sealed }: Row, key: Uint8Array, keys: MemberKeys): PassFacts | null {
  try {
    return issuedPass(keys.openFor({ laneId, seq, key }, sealed));
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

/**
 * The passes that enrolments and adoptions have shown, by lane. None where we know only that there is one, and where
 * the evidence opens no more.
 */
export async function findKnownPasses(
  database: Pick<Database, 'execute'>,
  members: readonly Pick<MatchedMember, 'laneId' | 'enrolmentSeq' | 'key'>[],
  keys: MemberKeys,
): Promise<Map<number, PassFacts>> {
  if (members.length === 0) return new Map();
  const keyOf = new Map(members.map(({ laneId, key }) => [laneId, key]));
  const parameters = [members.map(({ laneId }) => laneId), members.map(({ enrolmentSeq }) => enrolmentSeq)];
  const { rows } = await database.execute<Row>(findKnownPassesStatement, parameters);
  const known = new Map<number, PassFacts>();
  for (const row of rows) {
    const key = keyOf.get(row.laneId) ?? null;
    const pass = key === null ? null : open(row, key, keys);
    if (pass !== null) known.set(row.laneId, pass);
  }
  return known;
}

const firstGeneration = 1;

const findLeftStatement: SqlStatement = {
  name: 'find_enrolled',
  text: `SELECT key FROM dedup WHERE key = ANY ($1::bytea[]) AND kind = 'business'`,
};

function enrolmentDigest(program: string, { memberId, generation }: MatchedMember): Buffer {
  return digest(businessKeyText({ program, key: enrolmentKeyOf({ memberId }), generation }));
}

/**
 * Members who are erased, are about to be, or have left the program and not enrolled again since: their generation rose
 * when they left, and no enrolment of it is known. By lane.
 */
export async function findLeft(
  database: Pick<Database, 'execute'>,
  program: string,
  members: Iterable<MatchedMember>,
): Promise<Set<number>> {
  const left = new Set<number>();
  const inDoubt = new Map<string, MatchedMember>();
  for (const member of members) {
    if (member.key === null || member.isLeaving) left.add(member.laneId);
    else if (member.generation > firstGeneration) {
      inDoubt.set(enrolmentDigest(program, member).toString('hex'), member);
    }
  }
  if (inDoubt.size === 0) return left;
  const digests = [...inDoubt.keys()].map((hex) => Buffer.from(hex, 'hex'));
  const { rows } = await database.execute<{ key: Buffer }>(findLeftStatement, [digests]);
  for (const { key } of rows) inDoubt.delete(key.toString('hex'));
  const released = await findReleased(database, [...inDoubt.values()]);
  for (const { laneId } of inDoubt.values()) if (!released.has(laneId)) left.add(laneId);
  return left;
}

const findReleasedStatement: SqlStatement = {
  name: 'find_released',
  text: `
SELECT w.lane_id AS "laneId" FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
WHERE EXISTS (
  SELECT FROM intent_event e
  WHERE e.lane_id = w.lane_id AND e.seq = w.seq AND e.type = 'IntentCancelled' AND e.data->>'by' <> 'source-event')`,
};

/** Whose last enrolment an operator has cancelled: its generation rose as well, and the member has not left. By lane. */
async function findReleased(
  database: Pick<Database, 'execute'>,
  members: readonly MatchedMember[],
): Promise<ReadonlySet<number>> {
  const parameters = [members.map(({ laneId }) => laneId), members.map(({ enrolmentSeq }) => enrolmentSeq)];
  const { rows } = await database.execute<{ laneId: number }>(findReleasedStatement, parameters);
  return new Set(rows.map(({ laneId }) => laneId));
}
