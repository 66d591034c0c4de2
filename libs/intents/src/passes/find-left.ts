import { businessKeyText, enrolmentKeyOf } from '#domain';
import type { Database, SqlStatement } from '#platform';
import { digest } from '#platform';

import type { MatchedMember } from './match-members.js';

const firstGeneration = 1;

const statement: SqlStatement = {
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
  const { rows } = await database.execute<{ key: Buffer }>(statement, [digests]);
  for (const { key } of rows) inDoubt.delete(key.toString('hex'));
  for (const { laneId } of inDoubt.values()) left.add(laneId);
  return left;
}
