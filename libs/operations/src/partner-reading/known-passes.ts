import type { EventPlace, MatchedMember, MemberKeys, PassFacts } from '#intents';
import { evidencePlace, issuedPass } from '#intents';
import type { Database, SqlStatement } from '#platform';
import { SealBrokenError } from '#platform';

/** What an enrolment's answer or an adoption has shown last: at these two places of a lane, and nowhere else. */
const findKnownPassesStatement: SqlStatement = {
  name: 'find_known_passes',
  text: `
SELECT DISTINCT ON (w.lane_id) w.lane_id AS "laneId", e.seq, e.type, e.attempt, e.epoch, e.version, e.sealed
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, issue_seq)
JOIN intent_event e ON e.lane_id = w.lane_id AND e.seq IN (0, w.issue_seq)
WHERE e.sealed IS NOT NULL AND e.type IN ('AttemptApplied', 'VerifiedApplied', 'PassAdopted')
ORDER BY w.lane_id, e.epoch DESC, e.version DESC`,
};

interface Row extends EventPlace {
  readonly sealed: Buffer;
}

function open({ sealed, ...event }: Row, key: Uint8Array, keys: MemberKeys): PassFacts | null {
  try {
    return issuedPass(keys.openFor(evidencePlace({ ...event, key }), sealed));
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

/** Members who are erased, are about to be, or have left the program and not come back since, by when that happened. By lane. */
export function findLeft(members: Iterable<MatchedMember>): Set<number> {
  const left = [...members].filter(({ key, isLeaving, hasLeft }) => key === null || isLeaving || hasLeft);
  return new Set(left.map(({ laneId }) => laneId));
}
