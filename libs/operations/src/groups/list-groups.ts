import { timestamp } from '#intents';
import type { Database, SqlStatement } from '#platform';

import { isOfPrograms } from '../access/operator.js';

/** Failure groups that are shown, the largest first. */
const groupsMax = 200;
const rowsMax = 5_000;

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
  readonly money: readonly { readonly currency: string; readonly minor: number }[];
  /** How many came in each hour of the day before now, epoch ms; hours without any are left out. */
  readonly hours: readonly { readonly at: number; readonly intents: number }[];
}

const key = 'program_id, operation, status, reason, code, fingerprint';

const groupsStatement: SqlStatement = {
  name: 'list_groups',
  text: `
SELECT program_id AS program, operation, status, reason, code, fingerprint, currency, GROUPING(currency) = 1 AS "isTotal",
  count(*) AS intents, count(DISTINCT lane_id) AS members, min(since) AS "firstAt", max(since) AS "lastAt",
  COALESCE(sum(amount_minor), 0)::bigint AS minor
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

interface GroupRow extends GroupKey {
  readonly currency: string | null;
  readonly isTotal: boolean;
  readonly intents: number;
  readonly members: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly minor: number;
}

interface HourRow extends GroupKey {
  readonly at: number;
  readonly intents: number;
}

const dayMs = 86_400_000;

function hoursOf(rows: readonly HourRow[]): FailureGroup['hours'] {
  return rows.map(({ at, intents }) => ({ at, intents })).toSorted((one, other) => one.at - other.at);
}

function keyOf({ program, operation, status, reason, code, fingerprint }: GroupKey): string {
  return JSON.stringify([program, operation, status, reason, code, fingerprint]);
}

function moneyOf(rows: readonly GroupRow[]): FailureGroup['money'] {
  return rows.flatMap(({ currency, minor }) => (currency === null ? [] : [{ currency, minor }]));
}

/**
 * Parked and unknown intents grouped by cause, the largest group first.
 * @param programs only of these; null: of all
 */
export async function listGroups(
  database: Database,
  { programs, now }: { readonly programs: readonly string[] | null; readonly now: number },
): Promise<FailureGroup[]> {
  const [groups, hours] = await Promise.all([
    database.execute<GroupRow>(groupsStatement, [programs]),
    database.execute<HourRow>(hoursStatement, [timestamp(now - dayMs), programs]),
  ]);
  const money = Map.groupBy(
    groups.rows.filter(({ isTotal }) => !isTotal),
    keyOf,
  );
  const byHour = Map.groupBy(hours.rows, keyOf);
  const totals = groups.rows.filter(({ isTotal }) => isTotal).slice(0, groupsMax);
  return totals.map(({ currency: _currency, isTotal: _isTotal, minor: _minor, ...group }) => ({
    ...group,
    money: moneyOf(money.get(keyOf(group)) ?? []),
    hours: hoursOf(byHour.get(keyOf(group)) ?? []),
  }));
}
