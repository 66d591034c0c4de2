import type { IntentStatus, ParkedReason, QuarantineReason } from '#intents/core';
import { statusAfter, statusEvents } from '#intents';
import type { Database, SqlStatement } from '#platform';

/** How one intent stands, with the source record that caused it. */
export interface IntentWithStatus {
  readonly laneId: number;
  readonly seq: number;
  readonly program: string;
  readonly memberId: string;
  readonly operation: string;
  readonly status: IntentStatus;
  /** Only while parked. */
  readonly parkedReason: ParkedReason | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * SQL: the last event of each intent that says how it stands, as `standing(lane_id, seq, status, parked_reason)`. The
 * same as folding with `evolve`, which a test holds it against; intents without such an event are pending.
 */
const statusQuery = `
  SELECT DISTINCT ON (lane_id, seq) lane_id, seq, ${statusAfter} AS status,
    CASE type WHEN 'IntentParked' THEN data->>'reason' END AS parked_reason
  FROM intent_history
  WHERE type IN (${statusEvents})
  ORDER BY lane_id, seq, version DESC`;

/** Intents in one page. */
const statusesPageMax = 5_000;

const listStatusesStatement: SqlStatement = {
  name: 'list_standings',
  text: `
WITH standing AS (${statusQuery})
SELECT i.lane_id AS "laneId", i.seq, m.program_id AS program, m.member_id AS "memberId", i.operation,
  COALESCE(s.status, 'pending') AS status, s.parked_reason AS "parkedReason", i.topic, i.partition,
  i.kafka_offset AS "offset"
FROM intent i JOIN member m USING (lane_id) LEFT JOIN standing s USING (lane_id, seq)
WHERE (i.lane_id, i.seq) > ($1::bigint, $2::int)
ORDER BY i.lane_id, i.seq LIMIT ${statusesPageMax}`,
};

/** One page of intents, lane by lane in `seq` order, after the given one (`{ laneId: 0, seq: 0 }` to begin). */
export async function listIntentStatuses(
  database: Database,
  after: Pick<IntentWithStatus, 'laneId' | 'seq'>,
): Promise<readonly IntentWithStatus[]> {
  return (await database.execute<IntentWithStatus>(listStatusesStatement, [after.laneId, after.seq])).rows;
}

const countStatusesStatement: SqlStatement = {
  name: 'count_standings',
  text: `
WITH standing AS (${statusQuery})
SELECT COALESCE(s.status, 'pending') AS status, count(*) AS intents
FROM intent i LEFT JOIN standing s USING (lane_id, seq) GROUP BY 1`,
};

export type StatusCounts = Readonly<Record<IntentStatus, number>>;

const none: StatusCounts = {
  waiting: 0,
  pending: 0,
  delivering: 0,
  unknown: 0,
  delivered: 0,
  parked: 0,
  cancelled: 0,
};

/** How many intents stand how. Reads every event there is: for `dev`, the demo and tests, not for a large store. */
export async function countIntentStatuses(database: Database): Promise<StatusCounts> {
  const { rows } = await database.execute<{ status: IntentStatus; intents: number }>(countStatusesStatement);
  return { ...none, ...Object.fromEntries(rows.map(({ status, intents }) => [status, intents])) };
}

const countWorkStatement: SqlStatement = {
  name: 'count_work',
  text: `
SELECT
  (SELECT count(*) FROM lane WHERE cur_seq <= tail_seq AND state <> 'blocked') AS "openLanes",
  (SELECT count(*) FROM lane WHERE state = 'blocked') AS "blockedLanes",
  (SELECT count(*) FROM quarantine WHERE state = 'open') AS quarantined`,
};

export interface WorkCounts {
  /** Lanes in which something will still happen by itself. */
  readonly openLanes: number;
  /** Lanes that a parked intent holds until a person has looked. */
  readonly blockedLanes: number;
  /** Records set aside that nobody has dealt with. */
  readonly quarantined: number;
}

/** What is still on its way, and what a person must look at. */
export async function countWork(database: Database): Promise<WorkCounts> {
  const { rows } = await database.execute<WorkCounts>(countWorkStatement);
  return rows[0] ?? { openLanes: 0, blockedLanes: 0, quarantined: 0 };
}

/** Quarantined records in one page. */
const quarantinedPageMax = 5_000;

/** A source record set aside, without its content. */
export interface QuarantinedRecord {
  readonly quarantineId: number;
  readonly reason: QuarantineReason;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

const listQuarantinedStatement: SqlStatement = {
  name: 'list_quarantined',
  text: `
SELECT quarantine_id AS "quarantineId", reason, topic, partition, kafka_offset AS "offset"
FROM quarantine WHERE quarantine_id > $1::bigint ORDER BY quarantine_id LIMIT ${quarantinedPageMax}`,
};

/** One page of quarantined records in the order of their recording, after the given id (0 to begin). */
export async function listQuarantined(
  database: Database,
  afterQuarantineId: number,
): Promise<readonly QuarantinedRecord[]> {
  return (await database.execute<QuarantinedRecord>(listQuarantinedStatement, [afterQuarantineId])).rows;
}
