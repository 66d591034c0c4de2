import type { ProgramFacts, IdentityPlace } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { openInLane } from '../lanes/locked-lane.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';

/** SQL: intents (`i`) of a program that are still to be sent, in doubt or parked. What was erased is no work any more. */
const openIntents = `
  SELECT i.lane_id, i.seq, i.event_type, i.operation, s.status = 'parked' AND s.reason = 'unroutable' AS makes_no_call
  FROM intent_standing s JOIN intent i USING (lane_id, seq)
  WHERE s.program_id = $1 AND s.status IN ('waiting', 'unknown', 'parked') AND s.reason IS DISTINCT FROM 'erased'
  UNION ALL
  SELECT i.lane_id, i.seq, i.event_type, i.operation, false FROM lane l JOIN intent i USING (lane_id)
  WHERE l.program_id = $1 AND (l.due_at IS NOT NULL OR l.state = 'blocked') AND i.seq <= l.tail_seq
    AND ${openInLane('i.seq')} AND NOT EXISTS (
      SELECT FROM intent_standing s WHERE s.lane_id = i.lane_id AND s.seq = i.seq)`;

/** SQL: whether something of an operation was ever told of a program, also where it has left. */
const wasTold = (operation: string, mark: string): string => `(
    EXISTS (SELECT FROM member m JOIN intent i USING (lane_id) WHERE m.program_id = $1 AND i.operation = '${operation}')
    OR EXISTS (SELECT FROM retired_tally WHERE program_id = $1 AND operation = '${operation}')
    OR EXISTS (SELECT FROM member m JOIN cancel_mark c USING (lane_id) WHERE m.program_id = $1 AND c.reason = '${mark}'))`;

const factsStatement: SqlStatement = {
  name: 'find_program_facts',
  mayTakeLong: true,
  text: `
SELECT EXISTS (SELECT FROM member WHERE program_id = $1) AS "hasMembers",
  EXISTS (SELECT FROM member m JOIN lane l USING (lane_id) WHERE m.program_id = $1 AND l.pass = 'known') AS "hasPasses",
  ${wasTold('transaction', 'voided')} AS "hasSales", ${wasTold('reward', 'revoked')} AS "hasGrants",
  (SELECT COALESCE(array_agg(DISTINCT event_type), '{}') FROM (${openIntents}) o WHERE NOT makes_no_call) AS "openTypes"`,
};

const openRewardsStatement: SqlStatement = {
  name: 'find_open_rewards',
  mayTakeLong: true,
  text: `
SELECT lane_id AS "laneId", seq FROM (${openIntents}) o WHERE operation = 'reward' LIMIT ${loadCommandsMax}`,
};

/** Null where there are more than are read at once, or some cannot be read. */
async function openRewards(
  session: SqlSession,
  program: string,
  keys: MemberKeys | null,
): Promise<ProgramFacts['openRewards']> {
  const { rows } = await session.query<IdentityPlace>(openRewardsStatement, [program]);
  if (rows.length === 0) return [];
  if (keys === null || rows.length === loadCommandsMax) return null;
  const loaded = await loadCommands(within(session), rows, keys);
  return loaded.flatMap(({ current }) =>
    current.kind === 'command' && current.command.operation === 'reward' ? [current.command.rewardId] : [],
  );
}

/** What is there of a program. @param keys null: what is sealed is not opened */
export async function findProgramFacts(
  session: SqlSession,
  program: string,
  keys: MemberKeys | null,
): Promise<ProgramFacts> {
  const [facts] = (await session.query<Omit<ProgramFacts, 'openRewards'>>(factsStatement, [program])).rows;
  if (facts === undefined) throw new Error('facts returned nothing');
  return { ...facts, openRewards: await openRewards(session, program, keys) };
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
