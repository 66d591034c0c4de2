import type { MoneyView } from '#contracts';
import type { Operation, QuarantineReason } from '#intents/core';
import type { IntentCount, ListedProcess, Pause, RecoveryStatus } from '#intents';
import { countIntents, findRecovery, findTallyLag, listPauses, listProcesses, timestamp } from '#intents';
import type { Clock, Database, SqlStatement } from '#platform';

import { toMoneyView } from '../intents/money-view.js';
import type { Job } from '../jobs/job-repository.js';
import { JobRepository } from '../jobs/job-repository.js';

/** Lanes looked at per program. A lease ends soon, so that what is held comes early among what is due later. */
const heldLanesScannedMax = 4_000;

const deliveringStatement: SqlStatement = {
  name: 'count_delivering',
  text: `
SELECT p.program_id AS program, i.operation, count(*) AS intents
FROM (SELECT DISTINCT program_id FROM intent_tally) p
CROSS JOIN LATERAL (
  SELECT lane_id, cur_seq, attempt_open FROM lane
  WHERE lane.program_id = p.program_id AND due_at > $1::timestamptz
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

/** What is under way now; beyond `heldLanesScannedMax` lanes of a program not all of it. */
export async function countDelivering(database: Database, now: number): Promise<DeliveringCount[]> {
  return (await database.execute<DeliveringCount>(deliveringStatement, [timestamp(now)])).rows;
}

/** Lanes looked at per program: those that are due first. */
const openLanesScannedMax = 1_000;

const oldestPendingStatement: SqlStatement = {
  name: 'find_oldest_pending',
  text: `
SELECT p.program_id AS program, min(i.recorded_at) AS "recordedAt", count(*) >= ${openLanesScannedMax} AS "isPart"
FROM (SELECT DISTINCT program_id FROM intent_tally) p
CROSS JOIN LATERAL (
  SELECT lane_id, cur_seq, state FROM lane WHERE lane.program_id = p.program_id AND due_at IS NOT NULL
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

/** What each program has pending for longest; without those that have nothing. Blocked and waiting lanes do not count. */
export async function findOldestPending(database: Database): Promise<OldestPending[]> {
  return (await database.execute<OldestPending>(oldestPendingStatement)).rows;
}

const oldestUnknownStatement: SqlStatement = {
  name: 'find_oldest_unknown',
  text: `
SELECT program_id AS program, min(since) AS since FROM intent_standing WHERE status = 'unknown' GROUP BY 1 ORDER BY 1`,
};

/** Since when a program has had an intent of which nobody knows whether it took effect. */
export interface OldestUnknown {
  readonly program: string;
  /** Epoch ms. */
  readonly since: number;
}

/** Those that are still being resolved, not what is parked; programs without any are left out. */
export async function findOldestUnknown(database: Database): Promise<OldestUnknown[]> {
  return (await database.execute<OldestUnknown>(oldestUnknownStatement)).rows;
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

export async function countBlockedLanes(database: Database): Promise<BlockedCount[]> {
  return (await database.execute<BlockedCount>(blockedLanesStatement)).rows;
}

const quarantineReasonsStatement: SqlStatement = {
  name: 'count_quarantine_reasons',
  text: "SELECT reason, count(*) AS records FROM quarantine WHERE state = 'open' GROUP BY 1 ORDER BY 1",
};

/** Records that were set aside for the same reason, and that nobody has dealt with. */
interface QuarantineReasonCount {
  readonly reason: QuarantineReason;
  readonly records: number;
}

export async function countQuarantineReasons(database: Database): Promise<QuarantineReasonCount[]> {
  return (await database.execute<QuarantineReasonCount>(quarantineReasonsStatement)).rows;
}

/** Rows of the sum: a currency is whatever an event says, where its program names none. */
const valueAtRiskMax = 200;

const valueAtRiskStatement: SqlStatement = {
  name: 'sum_value_at_risk',
  text: `
SELECT program_id AS program, currency, sum(amount)::text AS amount, count(*) AS intents
FROM intent_standing WHERE status IN ('unknown', 'parked') AND amount IS NOT NULL AND currency IS NOT NULL
GROUP BY 1, 2 ORDER BY intents DESC, 1, 2 LIMIT ${valueAtRiskMax}`,
};

/** Money in intents that are parked, or of which nobody knows whether they took effect. */
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

/** By program and currency, those with the most intents first. */
export async function sumValueAtRisk(database: Database): Promise<ValueAtRisk[]> {
  const { rows } = await database.execute<ValueAtRiskRow>(valueAtRiskStatement);
  return rows.map(({ program, currency, amount, intents }) => {
    return { program, ...toMoneyView(amount, currency), intents };
  });
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
  /** Those that run, or would go on if somebody let them. */
  readonly jobs: readonly Job[];
  readonly processes: readonly ListedProcess[];
  /** The last restore that an operator has reported; null: none. */
  readonly recovery: RecoveryStatus | null;
  /** The first event that is not counted yet; null: all are. */
  readonly uncountedSince: number | null;
}

/** Reads everything, one after the other: whoever only looks takes one connection. @throws {DatabaseError} */
export async function readOverview(database: Database, clock: Pick<Clock, 'now'>): Promise<Overview> {
  const at = clock.now();
  return {
    at,
    intents: await countIntents(database),
    delivering: await countDelivering(database, at),
    oldestPending: await findOldestPending(database),
    blockedLanes: await countBlockedLanes(database),
    quarantine: await countQuarantineReasons(database),
    valueAtRisk: await sumValueAtRisk(database),
    pauses: await listPauses(database),
    jobs: await new JobRepository(database).listOpen(),
    processes: (await listProcesses(database, at)).filter(({ isAlive }) => isAlive),
    recovery: await findRecovery(database),
    uncountedSince: await findTallyLag(database),
  };
}
