import type { Transition } from '#intents/core';
import { transitionOf } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import type { PositionBound } from '../events/final-position.js';
import { isFinal, lastPosition, takeBound } from '../events/final-position.js';
import { toEvent } from '../events/stored-event.js';
import { eventCase, eventTypes, typeList } from '../events/transition-sql.js';
import type { FactRow } from '../rebuild/lane-truth.js';

const event = { type: 'e.type', data: 'e.data' };

/** What is counted of each minute, by the status that an event leads to. */
const minuteStatuses = ['delivered', 'parked', 'unknown', 'cancelled'] as const;
const reaches = ({ status }: Transition): string | null => minuteStatuses.find((each) => each === status) ?? null;

/** SQL: which of these statuses an event (`e`) leads to; NULL: none of them. */
const reached = eventCase(reaches, event);

/** SQL: of an event (`e`), whose count of ended intents it changes; NULL: nobody's. */
const settledStatus = eventCase(({ counts }) => counts?.[0] ?? null, event);

/** SQL: by how many intents. */
const settledBy = eventCase(({ counts }) => counts?.[1] ?? null, event);

const countedTypes = new Set([...eventTypes(({ counts }) => counts?.[0] ?? null), ...eventTypes(reaches)]);

/** SQL: the types tell most events apart without a look at their data. */
const isCounted = `e.type IN (${typeList([...countedTypes])})`;

const findTallyPositionStatement: SqlStatement = {
  name: 'find_tally_position',
  text: 'SELECT pos FROM tally_checkpoint',
};

/** The position up to which settled intents are counted. */
async function findTallyPosition(database: Database): Promise<number> {
  return (await database.execute<{ pos: number }>(findTallyPositionStatement)).rows[0]?.pos ?? 0;
}

/** Positions counted in one transaction. */
const tallyWindowMax = 20_000;

/** Whoever holds the row counts; the others leave it to them. */
const placeStatement: SqlStatement = {
  name: 'lock_tally_checkpoint',
  isRead: true,
  text: 'SELECT pos FROM tally_checkpoint FOR UPDATE SKIP LOCKED',
};

/**
 * The limit and OFFSET 0 keep the planner on the indexes: it knows neither position, and would read whole tables for what
 * it takes to be a part of all events.
 */
const countStatement: SqlStatement = {
  name: 'count_settled',
  text: `
WITH looked AS MATERIALIZED (
  SELECT lane_id, seq, type, data, at FROM intent_event WHERE pos > $1::bigint AND pos <= $2::bigint
  ORDER BY pos LIMIT ${tallyWindowMax}
), told AS MATERIALIZED (
  SELECT m.program_id, i.operation, ${settledStatus} AS settled, ${settledBy} AS intents, ${reached} AS reached,
    date_bin('1 minute', e.at, '1970-01-01T00:00:00Z'::timestamptz) AS at
  FROM looked e
  CROSS JOIN LATERAL (
    SELECT operation FROM intent WHERE intent.lane_id = e.lane_id AND intent.seq = e.seq OFFSET 0) i
  CROSS JOIN LATERAL (SELECT program_id FROM member WHERE member.lane_id = e.lane_id OFFSET 0) m
  WHERE ${isCounted}
), counted AS (
  INSERT INTO settled_tally AS t (program_id, operation, status, intents)
  SELECT program_id, operation, settled, sum(intents) FROM told WHERE settled IS NOT NULL
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (program_id, operation, status) DO UPDATE SET intents = t.intents + EXCLUDED.intents
), minutes AS (
  INSERT INTO minute_tally AS t (at, program_id, ${minuteStatuses.join(', ')})
  SELECT at, program_id, ${minuteStatuses.map((each) => `count(*) FILTER (WHERE reached = '${each}')`).join(', ')}
  FROM told WHERE reached IS NOT NULL
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (at, program_id) DO UPDATE SET ${minuteStatuses.map((each) => `${each} = t.${each} + EXCLUDED.${each}`).join(', ')}
)
UPDATE tally_checkpoint SET pos = $2::bigint`,
};

/**
 * Counts what has been settled after the stored position, and what happened in each minute, a window at most, up to a
 * position below which nothing can appear any more. Counts and position are stored together: each event counts once.
 * @returns the position up to which is counted now; null while somebody else counts
 */
async function countSettled(database: Database, final: number): Promise<number | null> {
  return database.transaction('count_settled', async (session) => {
    const from = (await session.query<{ pos: number }>(placeStatement)).rows[0]?.pos;
    if (from === undefined) return null;
    if (from >= final) return from;
    const upto = Math.min(final, from + tallyWindowMax);
    await session.query(countStatement, [from, upto]);
    return upto;
  });
}

/**
 * `counted`: there may be more, go on at once. `open`: a transaction that may still add an event is running, look again in a
 * moment. `idle`: nothing new, or another process counts.
 */
type TallyStep = 'counted' | 'open' | 'idle';

/**
 * Keeps count of delivered and cancelled intents, and of what happened in each minute, by following the events
 * (docs/decisions/0031): whoever writes them pays nothing for it. Any number of processes may do so; one at a time does.
 */
export class SettledTally {
  /** Taken, not final yet. */
  private bound: PositionBound | null = null;
  private final = 0;

  constructor(private readonly database: Database) {}

  /** @throws {DatabaseError} */
  async step(): Promise<TallyStep> {
    const { database } = this;
    const position = await findTallyPosition(database);
    if (position >= this.final) {
      const answer = await this.findFinal(position);
      if (answer !== 'final') return answer;
    }
    return (await countSettled(database, this.final)) === null ? 'idle' : 'counted';
  }

  /** Looks for a final position beyond what is counted. */
  private async findFinal(counted: number): Promise<'final' | 'open' | 'idle'> {
    const { database } = this;
    const bound = this.bound ?? ((await lastPosition(database)).pos > counted ? await takeBound(database) : null);
    if (bound === null) return 'idle';
    const answer = await isFinal(database, bound);
    this.bound = answer === 'open' ? bound : null;
    if (answer === 'void') return 'idle';
    if (answer === 'final') this.final = bound.pos;
    return answer;
  }
}

interface Tallied {
  readonly program: string;
  readonly operation: string;
  recorded: number;
  delivered: number;
  cancelled: number;
}

const clearStatements: readonly SqlStatement[] = ['intent_tally', 'settled_tally'].map((table) => ({
  name: `clear_${table}`,
  text: `DELETE FROM ${table}`,
}));

/** Which partition brought them is not asked again: nobody reads these counts but as sums. */
const rebuildRecordedStatement: SqlStatement = {
  name: 'rebuild_intent_tally',
  text: `
INSERT INTO intent_tally (topic, partition, program_id, operation, recorded)
SELECT '', -1, program_id, operation, recorded
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS w (program_id, operation, recorded)`,
};

const rebuildSettledStatement: SqlStatement = {
  name: 'rebuild_settled_tally',
  text: `
INSERT INTO settled_tally (program_id, operation, status, intents)
SELECT program_id, operation, status, intents
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS w (program_id, operation, delivered, cancelled)
CROSS JOIN LATERAL (VALUES ('delivered', delivered), ('cancelled', cancelled)) AS s (status, intents)
WHERE intents > 0`,
};

/** Nobody has a position without a lane's lock, and nobody else has those now. */
const rebuildPlaceStatement: SqlStatement = {
  name: 'rebuild_tally_checkpoint',
  text: `
UPDATE tally_checkpoint SET pos = (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq)`,
};

const retiredStatement: SqlStatement = {
  name: 'load_retired_tally',
  text: 'SELECT program_id AS program, operation, status, intents FROM retired_tally',
};

interface RetiredCount {
  readonly program: string;
  readonly operation: string;
  readonly status: 'delivered' | 'cancelled';
  readonly intents: number;
}

/** Counts intents and how they ended from all facts, while every lane is locked. */
export class RebuiltTallies {
  private readonly tallies = new Map<string, Tallied>();

  /** @param facts a lane's */
  add(program: string, facts: readonly FactRow[]): void {
    const operations = new Map(facts.flatMap(({ seq, operation }) => (operation === null ? [] : [[seq, operation]])));
    for (const fact of facts) {
      const operation = operations.get(fact.seq);
      if (operation === undefined) continue;
      const tally = this.tallyOf(program, operation);
      if (fact.operation !== null) tally.recorded += 1;
      const [status, intents] = transitionOf(toEvent(fact)).counts ?? [];
      if (status !== undefined) tally[status] += intents ?? 0;
    }
  }

  /** Counts what has left, too. */
  async addRetired(session: SqlSession): Promise<void> {
    for (const { program, operation, status, intents } of (await session.query<RetiredCount>(retiredStatement)).rows) {
      const tally = this.tallyOf(program, operation);
      tally.recorded += intents;
      tally[status] += intents;
    }
  }

  async save(session: SqlSession): Promise<void> {
    const tallies = [...this.tallies.values()];
    const names = [tallies.map(({ program }) => program), tallies.map(({ operation }) => operation)];
    for (const statement of clearStatements) await session.query(statement);
    await session.query(rebuildRecordedStatement, [...names, tallies.map(({ recorded }) => recorded)]);
    const ends = [tallies.map(({ delivered }) => delivered), tallies.map(({ cancelled }) => cancelled)];
    await session.query(rebuildSettledStatement, [...names, ...ends]);
    await session.query(rebuildPlaceStatement);
  }

  private tallyOf(program: string, operation: string): Tallied {
    const key = JSON.stringify([program, operation]);
    const known = this.tallies.get(key) ?? { program, operation, recorded: 0, delivered: 0, cancelled: 0 };
    this.tallies.set(key, known);
    return known;
  }
}
