import { Injectable } from '@nestjs/common';

import type { MoneyView } from '#contracts';
import { timestamp } from '#intents';
import type { SqlStatement } from '#platform';
import { Database } from '#platform';

import { isOfPrograms } from '../access/operator.js';
import { toMoneyView } from '../intents/money-view.js';

/** Failure groups that are shown, the largest first. */
const groupsMax = 200;
const rowsMax = 5_000;
/** Of each group's newest intents so many at most tell where they came from; looked for among the latest `rowsMax`. */
const originsPerGroup = 200;
/** Stores and sources of a group that are named. */
const originsNamed = 3;

/** What failures have in common. */
interface GroupKey {
  readonly program: string;
  readonly operation: string;
  readonly status: 'parked' | 'unknown';
  readonly reason: string | null;
  /** What the last attempt ended with; null where there was none. */
  readonly code: string | null;
  /** The keyed digest of a refusal's wording; null for what was not refused. */
  readonly fingerprint: string | null;
}

/** Intents that a person must look at, or may soon have to, for the same cause. */
export interface FailureGroup extends GroupKey {
  readonly intents: number;
  readonly members: number;
  /** Since when the first and the last of them have had this status, epoch ms. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly money: readonly MoneyView[];
  /** How many came in each hour of the day before now, epoch ms; hours without any are left out. */
  readonly hours: readonly { readonly at: number; readonly intents: number }[];
  readonly common: CommonOrigin;
}

interface NamedCount {
  readonly name: string;
  readonly intents: number;
}

/** Where a group's newest intents came from; those that name no store or source are only in `intents`. */
export interface CommonOrigin {
  /** How many were looked at. */
  readonly intents: number;
  /** The most frequent ones, the first with the most. */
  readonly stores: readonly NamedCount[];
  readonly sources: readonly NamedCount[];
}

const key = 'program_id, operation, status, reason, code, fingerprint';

const groupsStatement: SqlStatement = {
  name: 'list_groups',
  text: `
SELECT program_id AS program, operation, status, reason, code, fingerprint, currency, GROUPING(currency) = 1 AS "isTotal",
  count(*) AS intents, count(DISTINCT lane_id) AS members, min(since) AS "firstAt", max(since) AS "lastAt",
  sum(amount)::text AS amount
FROM intent_standing WHERE status IN ('parked', 'unknown') AND ${isOfPrograms('$1')}
GROUP BY GROUPING SETS ((${key}), (${key}, currency))
ORDER BY "isTotal" DESC, intents DESC LIMIT ${rowsMax}`,
};

const hoursStatement: SqlStatement = {
  name: 'list_group_hours',
  text: `
SELECT program_id AS program, operation, status, reason, code, fingerprint,
  date_bin('1 hour', since, '2000-01-01T00:00:00Z'::timestamptz) AS at, count(*) AS intents
FROM intent_standing WHERE status IN ('parked', 'unknown') AND since >= $1::timestamptz
  AND ${isOfPrograms('$2')}
GROUP BY ${key}, 7 ORDER BY count(*) DESC LIMIT ${rowsMax}`,
};

const latestOf = (status: GroupKey['status']): string => `(SELECT lane_id, seq, since, ${key} FROM intent_standing
  WHERE status = '${status}' AND ${isOfPrograms('$1')} ORDER BY recorded_at DESC, lane_id DESC, seq DESC LIMIT ${rowsMax})`;

/** Only the latest are looked at, as the index has them: it costs the same however many are parked. By rank: each group gets its part. */
const originsStatement: SqlStatement = {
  name: 'list_group_origins',
  text: `
WITH latest AS MATERIALIZED (${latestOf('parked')} UNION ALL ${latestOf('unknown')}), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY ${key} ORDER BY since DESC, lane_id, seq) AS place FROM latest
), newest AS MATERIALIZED (SELECT * FROM ranked WHERE place <= ${originsPerGroup} ORDER BY place LIMIT ${rowsMax})
SELECT n.program_id AS program, n.operation, n.status, n.reason, n.code, n.fingerprint, i.store_id AS store, i.source,
  count(*) AS intents
FROM newest n JOIN intent i USING (lane_id, seq)
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
};

interface OriginRow extends GroupKey {
  readonly store: string | null;
  readonly source: string | null;
  readonly intents: number;
}

interface GroupRow extends GroupKey {
  readonly currency: string | null;
  readonly isTotal: boolean;
  readonly intents: number;
  readonly members: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly amount: string | null;
}

interface HourRow extends GroupKey {
  readonly at: number;
  readonly intents: number;
}

const dayMs = 86_400_000;

function hoursOf(rows: readonly HourRow[]): FailureGroup['hours'] {
  return rows.map(({ at, intents }) => ({ at, intents })).toSorted((one, other) => one.at - other.at);
}

function mostOf(rows: readonly OriginRow[], nameOf: (row: OriginRow) => string | null): NamedCount[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const name = nameOf(row);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + row.intents);
  }
  return [...counts]
    .map(([name, intents]) => ({ name, intents }))
    .toSorted((one, other) => other.intents - one.intents || (one.name < other.name ? -1 : 1))
    .slice(0, originsNamed);
}

function commonOf(rows: readonly OriginRow[]): CommonOrigin {
  return {
    intents: rows.reduce((sum, { intents }) => sum + intents, 0),
    stores: mostOf(rows, ({ store }) => store),
    sources: mostOf(rows, ({ source }) => source),
  };
}

function keyOf({ program, operation, status, reason, code, fingerprint }: GroupKey): string {
  return JSON.stringify([program, operation, status, reason, code, fingerprint]);
}

function moneyOf(rows: readonly GroupRow[]): FailureGroup['money'] {
  return rows.flatMap(({ currency, amount }) =>
    currency === null || amount === null ? [] : [toMoneyView(amount, currency)],
  );
}

/** What is wrong, by cause. */
@Injectable()
export class FailureGroupRepository {
  constructor(private readonly database: Database) {}

  /**
   * Parked and unknown intents grouped by cause, the largest group first.
   * @param programs only of these; null: of all
   */
  async list({
    programs,
    now,
  }: {
    readonly programs: readonly string[] | null;
    readonly now: number;
  }): Promise<FailureGroup[]> {
    const [groups, hours, origins] = await Promise.all([
      this.database.execute<GroupRow>(groupsStatement, [programs]),
      this.database.execute<HourRow>(hoursStatement, [timestamp(now - dayMs), programs]),
      this.database.execute<OriginRow>(originsStatement, [programs]),
    ]);
    const money = Map.groupBy(
      groups.rows.filter(({ isTotal }) => !isTotal),
      keyOf,
    );
    const byHour = Map.groupBy(hours.rows, keyOf);
    const byOrigin = Map.groupBy(origins.rows, keyOf);
    const totals = groups.rows.filter(({ isTotal }) => isTotal).slice(0, groupsMax);
    return totals.map(({ currency: _currency, isTotal: _isTotal, amount: _amount, ...group }) => ({
      ...group,
      money: moneyOf(money.get(keyOf(group)) ?? []),
      hours: hoursOf(byHour.get(keyOf(group)) ?? []),
      common: commonOf(byOrigin.get(keyOf(group)) ?? []),
    }));
  }
}
