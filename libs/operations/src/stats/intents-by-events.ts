import { Injectable } from '@nestjs/common';

import type { IntentStatus, ParkedReason, QuarantineReason } from '#intents/core';
import { statusAfter, statusEvents } from '#intents';
import type { SqlStatement } from '#platform';
import { Database } from '#platform';

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
  /** Open records. */
  readonly quarantined: number;
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

const oldestUnknownStatement: SqlStatement = {
  name: 'find_oldest_unknown',
  text: `
SELECT program_id AS program, min(since) AS since FROM intent_standing WHERE status = 'unknown' GROUP BY 1 ORDER BY 1`,
};

/** Since when a program has had an intent in doubt. */
export interface OldestUnknown {
  readonly program: string;
  /** Epoch ms. */
  readonly since: number;
}

/** How intents are, each by its status. */
@Injectable()
export class StatusRepository {
  constructor(private readonly database: Database) {}

  /** One page of intents, lane by lane in `seq` order, after the given one (`{ laneId: 0, seq: 0 }` to begin). */
  async list(after: Pick<IntentWithStatus, 'laneId' | 'seq'>): Promise<readonly IntentWithStatus[]> {
    return (await this.database.execute<IntentWithStatus>(listStatusesStatement, [after.laneId, after.seq])).rows;
  }

  /** How many intents stand how. Reads every event there is: for `dev`, the demo and tests, not for a large store. */
  async count(): Promise<StatusCounts> {
    const { rows } = await this.database.execute<{ status: IntentStatus; intents: number }>(countStatusesStatement);
    return { ...none, ...Object.fromEntries(rows.map(({ status, intents }) => [status, intents])) };
  }

  /** What is still on its way, and what a person must look at. */
  async countWork(): Promise<WorkCounts> {
    const { rows } = await this.database.execute<WorkCounts>(countWorkStatement);
    return rows[0] ?? { openLanes: 0, blockedLanes: 0, quarantined: 0 };
  }

  /** One page of quarantined records in the order of their recording, after the given id (0 to begin). */
  async listQuarantined(afterQuarantineId: number): Promise<readonly QuarantinedRecord[]> {
    return (await this.database.execute<QuarantinedRecord>(listQuarantinedStatement, [afterQuarantineId])).rows;
  }

  /** Those that are still being resolved, not what is parked; programs without any are left out. */
  async findOldestUnknown(): Promise<OldestUnknown[]> {
    return (await this.database.execute<OldestUnknown>(oldestUnknownStatement)).rows;
  }
}
