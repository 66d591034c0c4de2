import { Injectable } from '@nestjs/common';

import type { MoneyView } from '#contracts';
import type { Operation, QuarantineReason } from '#intents/core';
import { PRIORITIES } from '#intents/core';
import type { IntentCount, ListedProcess, Pause, RecoveryStatus } from '#intents';
import { countIntents, findRecovery, findTallyLag, PauseRepository, ProcessRepository, timestamp } from '#intents';
import type { SqlStatement } from '#platform';
import { Database } from '#platform';

import { toMoneyView } from '../intents/money-view.js';
import type { Job } from '../jobs/job-repository.js';
import { JobRepository } from '../jobs/job-repository.js';

/** SQL: lanes are found by their priority, and by when they are due within it. */
const everyPriority = `unnest('{${PRIORITIES.join(',')}}'::int[]) AS each (priority)`;

/** Lanes looked at per program and priority. A lease ends soon, so that what is held comes early among what is due later. */
const heldLanesScannedMax = 4_000;

const deliveringStatement: SqlStatement = {
  name: 'count_delivering',
  text: `
SELECT p.program_id AS program, i.operation, count(*) AS intents
FROM (SELECT DISTINCT program_id FROM intent_tally) p
CROSS JOIN ${everyPriority}
CROSS JOIN LATERAL (
  SELECT lane_id, cur_seq, attempt_open FROM lane
  WHERE lane.program_id = p.program_id AND priority = each.priority AND due_at > $1::timestamptz
  ORDER BY due_at LIMIT ${heldLanesScannedMax}) l
CROSS JOIN LATERAL (
  SELECT operation FROM intent WHERE intent.lane_id = l.lane_id AND intent.seq = l.cur_seq OFFSET 0) i
WHERE l.attempt_open
GROUP BY 1, 2 ORDER BY 1, 2`,
};

/** How many intents of a program and operation are being delivered. */
interface DeliveringCount {
  readonly program: string;
  readonly operation: Operation;
  readonly intents: number;
}

/** Lanes looked at per program and priority: those that are due first. */
const openLanesScannedMax = 1_000;

const oldestPendingStatement: SqlStatement = {
  name: 'find_oldest_pending',
  text: `
SELECT p.program_id AS program, min(i.recorded_at) AS "recordedAt", max(l.place) >= ${openLanesScannedMax} AS "isPart"
FROM (SELECT DISTINCT program_id FROM intent_tally) p
CROSS JOIN ${everyPriority}
CROSS JOIN LATERAL (
  SELECT lane_id, cur_seq, state, row_number() OVER (ORDER BY due_at) AS place FROM lane
  WHERE lane.program_id = p.program_id AND priority = each.priority AND due_at IS NOT NULL
  ORDER BY due_at LIMIT ${openLanesScannedMax}) l
LEFT JOIN LATERAL (
  SELECT recorded_at FROM intent
  WHERE intent.lane_id = l.lane_id AND intent.seq = l.cur_seq AND l.state = 'live' OFFSET 0) i ON true
GROUP BY 1 HAVING min(i.recorded_at) IS NOT NULL ORDER BY 1`,
};

/** The intent of a program that has been pending for longest. */
interface OldestPending {
  readonly program: string;
  /** Epoch ms. */
  readonly recordedAt: number;
  /** There are more open lanes than are looked at: it is the oldest of those that are due first. */
  readonly isPart: boolean;
}

const blockedLanesStatement: SqlStatement = {
  name: 'count_blocked_lanes',
  text: `
SELECT program_id AS program, count(*) AS lanes, sum(tail_seq - cur_seq)::bigint AS behind
FROM lane WHERE state = 'blocked' GROUP BY 1 ORDER BY 1`,
};

/** Lanes of a program that stand still until a person acts. */
interface BlockedCount {
  readonly program: string;
  readonly lanes: number;
  /** Recorded intents that wait behind what is parked. */
  readonly behind: number;
}

const quarantineReasonsStatement: SqlStatement = {
  name: 'count_quarantine_reasons',
  text: "SELECT reason, count(*) AS records FROM quarantine WHERE state = 'open' GROUP BY 1 ORDER BY 1",
};

/** Open records that were set aside for the same reason. */
interface QuarantineReasonCount {
  readonly reason: QuarantineReason;
  readonly records: number;
}

/** Rows of the sum: a currency is whatever an event says, where its program names none. */
const valueAtRiskMax = 200;

/** Blocked lanes behind which money is looked for, at most. */
const heldLanesMax = 10_000;

/** What waits behind a parked intent has no standing of its own: it is simply pending. */
const valueAtRiskStatement: SqlStatement = {
  name: 'sum_value_at_risk',
  text: `
WITH blocked AS MATERIALIZED (
  SELECT * FROM lane WHERE state = 'blocked' ORDER BY lane_id LIMIT ${heldLanesMax}
)
SELECT program, currency, sum(amount)::text AS amount, count(*) AS intents FROM (
  SELECT program_id AS program, currency, amount FROM intent_standing
  WHERE status IN ('unknown', 'parked', 'waiting') AND amount IS NOT NULL AND currency IS NOT NULL
  UNION ALL
  SELECT l.program_id, i.currency, amount_now(i.lane_id, i.seq, i.amount) FROM blocked l
  JOIN intent i ON i.lane_id = l.lane_id AND i.seq >= l.head_seq AND i.seq <> ALL (l.ahead)
  WHERE amount_now(i.lane_id, i.seq, i.amount) IS NOT NULL AND i.currency IS NOT NULL AND NOT EXISTS (
    SELECT FROM intent_standing s WHERE s.lane_id = i.lane_id AND s.seq = i.seq)
) held
GROUP BY 1, 2 ORDER BY intents DESC, 1, 2 LIMIT ${valueAtRiskMax}`,
};

/** Money in intents that are parked, in doubt or waiting, or that wait behind one that is parked. */
interface ValueAtRisk extends MoneyView {
  readonly program: string;
  readonly intents: number;
}

interface ValueAtRiskRow {
  readonly program: string;
  readonly currency: string;
  /** Refunds count as what they are worth. */
  readonly amount: string;
  readonly intents: number;
}

/** How things stand, as the database tells it. Times in epoch ms. */
export interface Overview {
  readonly at: number;
  readonly intents: readonly IntentCount[];
  readonly delivering: readonly DeliveringCount[];
  readonly oldestPending: readonly OldestPending[];
  readonly blockedLanes: readonly BlockedCount[];
  readonly quarantine: readonly QuarantineReasonCount[];
  readonly valueAtRisk: readonly ValueAtRisk[];
  readonly pauses: readonly Pause[];
  /** Those that run, or would continue if they were resumed. */
  readonly jobs: readonly Job[];
  readonly processes: readonly ListedProcess[];
  /** The last restore that an operator has reported; null: none. */
  readonly recovery: RecoveryStatus | null;
  /** The first event that is not counted yet; null: all are. */
  readonly uncountedSince: number | null;
}

/** What the overview counts and sums. */
@Injectable()
export class OverviewRepository {
  constructor(
    private readonly database: Database,
    private readonly pauses: PauseRepository,
    private readonly processes: ProcessRepository,
    private readonly jobs: JobRepository,
  ) {}

  /** Reads everything, one after the other, so that it takes one connection. @param at epoch ms @throws {DatabaseError} */
  async read(at: number): Promise<Overview> {
    const { database } = this;
    return {
      at,
      intents: await countIntents(database),
      delivering: await this.countDelivering(at),
      oldestPending: await this.findOldestPending(),
      blockedLanes: await this.countBlockedLanes(),
      quarantine: await this.countQuarantineReasons(),
      valueAtRisk: await this.sumValueAtRisk(),
      pauses: await this.pauses.list(at),
      jobs: await this.jobs.listOpen(),
      processes: (await this.processes.list(at)).filter(({ isAlive }) => isAlive),
      recovery: await findRecovery(database),
      uncountedSince: await findTallyLag(database),
    };
  }

  /** What is under way now; beyond `heldLanesScannedMax` lanes of a program not all of it. */
  async countDelivering(now: number): Promise<DeliveringCount[]> {
    return (await this.database.execute<DeliveringCount>(deliveringStatement, [timestamp(now)])).rows;
  }

  /** What each program has pending for longest; without those that have nothing. Blocked and waiting lanes do not count. */
  async findOldestPending(): Promise<OldestPending[]> {
    return (await this.database.execute<OldestPending>(oldestPendingStatement)).rows;
  }

  async countBlockedLanes(): Promise<BlockedCount[]> {
    return (await this.database.execute<BlockedCount>(blockedLanesStatement)).rows;
  }

  async countQuarantineReasons(): Promise<QuarantineReasonCount[]> {
    return (await this.database.execute<QuarantineReasonCount>(quarantineReasonsStatement)).rows;
  }

  /** By program and currency, those with the most intents first. */
  async sumValueAtRisk(): Promise<ValueAtRisk[]> {
    const { rows } = await this.database.execute<ValueAtRiskRow>(valueAtRiskStatement);
    return rows.map(({ program, currency, amount, intents }) => {
      return { program, ...toMoneyView(amount, currency), intents };
    });
  }
}
