import type { AskedFact, IdentityPlace, IsThere, ProgramFact, TopicFacts } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { openInLane } from '../lanes/locked-lane.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';

/** Rewards that are opened to see which they are; of more it is not known. */
export const openRewardsMax = 20_000;

/** SQL: intents (`i`) of a program that are still to be sent, in doubt or parked. What was erased is no work any more. */
const openIntents = `
  SELECT s.lane_id, s.seq, i.event_type, s.operation, s.status = 'parked' AND s.reason = 'unroutable' AS makes_no_call
  FROM intent_standing s JOIN intent i USING (lane_id, seq)
  WHERE s.program_id = $1 AND s.status IN ('waiting', 'unknown', 'parked') AND s.reason IS DISTINCT FROM 'erased'
  UNION ALL
  SELECT i.lane_id, i.seq, i.event_type, i.operation, false FROM lane l JOIN intent i USING (lane_id)
  WHERE l.program_id = $1 AND (l.due_at IS NOT NULL OR l.state = 'blocked') AND i.seq <= l.tail_seq
    AND ${openInLane('i.seq')} AND NOT EXISTS (
      SELECT FROM intent_standing s WHERE s.lane_id = i.lane_id AND s.seq = i.seq)`;

/** SQL: whether something of an operation was ever told of a program, also where it has left. */
const wasTold = (operation: string, mark: string): string => `
    EXISTS (SELECT FROM intent_tally WHERE program_id = $1 AND operation = '${operation}' AND recorded > 0)
    OR EXISTS (SELECT FROM cancel_mark c JOIN member m USING (lane_id) WHERE m.program_id = $1 AND c.reason = '${mark}')`;

type StatedKind = Exclude<ProgramFact['kind'], 'reward-owed'>;

/** SQL: whether it is there. */
const conditions: Readonly<Record<StatedKind, string>> = {
  members: 'EXISTS (SELECT FROM member WHERE program_id = $1)',
  cards: `EXISTS (SELECT FROM lane WHERE program_id = $1 AND pass = 'known')`,
  sales: wasTold('transaction', 'voided'),
  grants: wasTold('reward', 'revoked'),
  work: `EXISTS (SELECT FROM (${openIntents}) o WHERE NOT makes_no_call)`,
  'work-of': `EXISTS (SELECT FROM (${openIntents}) o WHERE NOT makes_no_call AND event_type = $2)`,
};

function statementOf(kind: StatedKind): SqlStatement {
  return { name: `find_program_${kind}`, mayTakeLong: true, text: `SELECT ${conditions[kind]} AS "isThere"` };
}

async function isStated(
  session: SqlSession,
  program: string,
  fact: Exclude<ProgramFact, { readonly kind: 'reward-owed' }>,
): Promise<boolean> {
  const parameters = fact.kind === 'work-of' ? [program, fact.eventType] : [program];
  return (await session.query<{ isThere: boolean }>(statementOf(fact.kind), parameters)).rows[0]?.isThere ?? true;
}

const openRewardsStatement: SqlStatement = {
  name: 'find_open_rewards',
  mayTakeLong: true,
  text: `
SELECT lane_id AS "laneId", seq FROM (${openIntents}) o WHERE operation = 'reward' LIMIT ${openRewardsMax + 1}`,
};

/**
 * Which of these rewards of the partner are still to be sent, or parked; those of which that cannot be told are among them.
 * @param keys null: what is sealed is not opened
 */
async function rewardsOwed(
  session: SqlSession,
  { program, rewardIds }: { readonly program: string; readonly rewardIds: ReadonlySet<string> },
  keys: MemberKeys | null,
): Promise<ReadonlySet<string>> {
  const { rows } = await session.query<IdentityPlace>(openRewardsStatement, [program]);
  if (keys === null) return rows.length === 0 ? new Set() : rewardIds;
  const owed = new Set<string>();
  for (let from = 0; from < rows.length && ![...rewardIds].every((id) => owed.has(id)); from += loadCommandsMax) {
    const loaded = await loadCommands(within(session), rows.slice(from, from + loadCommandsMax), keys);
    for (const { current } of loaded) {
      if (current.kind === 'command' && current.command.operation === 'reward') owed.add(current.command.rewardId);
    }
  }
  return rows.length > openRewardsMax ? rewardIds : owed;
}

const keyOf = (program: string, fact: ProgramFact): string => JSON.stringify([program, fact]);

/** What is there of what is asked, each looked up once. @param keys null: what is sealed is not opened */
export async function findFacts(
  session: SqlSession,
  asked: readonly AskedFact[],
  keys: MemberKeys | null,
): Promise<IsThere> {
  const known = new Map<string, boolean>();
  const rewards = new Map<string, Set<string>>();
  for (const { program, fact } of asked) {
    const key = keyOf(program, fact);
    if (fact.kind === 'reward-owed') {
      rewards.set(program, (rewards.get(program) ?? new Set()).add(fact.rewardId));
    } else if (!known.has(key)) known.set(key, await isStated(session, program, fact));
  }
  for (const [program, rewardIds] of rewards) {
    const owed = await rewardsOwed(session, { program, rewardIds }, keys);
    for (const rewardId of rewardIds) known.set(keyOf(program, { kind: 'reward-owed', rewardId }), owed.has(rewardId));
  }
  return (program, fact) => known.get(keyOf(program, fact)) ?? true;
}

const topicsStatement: SqlStatement = {
  name: 'find_topic_facts',
  mayTakeLong: true,
  text: `
SELECT topic, bool_or(is_aside) AS "isAside", NOT bool_and(is_aside) AS "isRead" FROM (
  SELECT DISTINCT topic, false AS is_aside FROM kafka_offset
  UNION ALL SELECT DISTINCT topic, true FROM quarantine WHERE state = 'open') t
GROUP BY topic`,
};

export const noTopics: TopicFacts = { read: new Set(), aside: new Set() };

/** Which topics something was read of, and of which something is set aside. */
export async function findTopicFacts(session: SqlSession): Promise<TopicFacts> {
  const { rows } = await session.query<{ topic: string; isAside: boolean; isRead: boolean }>(topicsStatement, []);
  const named = (is: 'isAside' | 'isRead'): ReadonlySet<string> =>
    new Set(rows.filter((row) => row[is]).map(({ topic }) => topic));
  return { read: named('isRead'), aside: named('isAside') };
}

const programsAtWorkStatement: SqlStatement = {
  name: 'find_programs_at_work',
  text: `
SELECT program_id AS program FROM intent_standing
WHERE status IN ('waiting', 'unknown', 'parked') AND reason IS DISTINCT FROM 'erased'
UNION SELECT program_id FROM lane WHERE due_at IS NOT NULL ORDER BY 1`,
};

/** The programs of which something is to be sent, in doubt or parked. */
export async function findProgramsAtWork(database: Database): Promise<string[]> {
  return (await database.execute<{ program: string }>(programsAtWorkStatement)).rows.map(({ program }) => program);
}
