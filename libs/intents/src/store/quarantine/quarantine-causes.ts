import { Inject, Injectable } from '@nestjs/common';

import type { SqlStatement } from '#platform';
import { Database } from '#platform';

import { IngestKeys } from '../batch/recording.js';
import { timestamp } from '../events/stored-event.js';
import type { QuarantineFilter } from './quarantine-repository.js';
import { quarantineFilterCondition, filterParameters, tallyMax } from './quarantine-repository.js';

/** Causes that are told, the largest first. */
const causesMax = 100;
const rowsMax = 5_000;
/** Sources and stores of a cause that are named. */
const namedMax = 3;
const dayMs = 86_400_000;

const key = 'reason, cause';

/** In each row one part of a cause: which of the columns counts says `part`, the cause as a whole has none. */
const causesStatement: SqlStatement = {
  name: 'list_quarantine_causes',
  text: `
WITH looked AS MATERIALIZED (
  SELECT q.quarantine_id, q.reason, q.cause, q.source, q.store_id, q.amount, q.currency, q.recorded_at,
    (${quarantineFilterCondition}) AS fits
  FROM quarantine q WHERE q.state = 'open' ORDER BY q.quarantine_id DESC LIMIT ${tallyMax + 1}
), seen AS (
  SELECT quarantine_id, ${key}, NULLIF(source, '') AS source, NULLIF(store_id, '') AS store, amount, currency, recorded_at,
    CASE WHEN recorded_at >= $12::timestamptz THEN date_bin('1 hour', recorded_at, '2000-01-01T00:00:00Z'::timestamptz) END AS hour
  FROM looked WHERE fits
)
SELECT ${key}, source, store, currency, hour, grouping(source, store, currency, hour) AS part, count(*) AS records,
  sum(amount)::text AS amount, min(recorded_at) AS "firstAt", max(recorded_at) AS "lastAt", max(quarantine_id) AS newest,
  (SELECT count(*) FROM looked) AS "lookedAt"
FROM seen GROUP BY GROUPING SETS ((${key}), (${key}, source), (${key}, store), (${key}, currency), (${key}, hour))
ORDER BY part DESC, records DESC LIMIT ${rowsMax}`,
};

/** As `grouping` of the statement numbers them. */
const parts = { whole: 15, hour: 14, currency: 13, store: 11, source: 7 } as const;

const detailsStatement: SqlStatement = {
  name: 'find_quarantine_details',
  text: `SELECT quarantine_id AS id, detail FROM quarantine WHERE quarantine_id = ANY ($1::bigint[])`,
};

interface CauseRow {
  readonly reason: string;
  readonly cause: string;
  readonly source: string | null;
  readonly store: string | null;
  readonly currency: string | null;
  readonly hour: number | null;
  readonly part: number;
  readonly records: number;
  readonly amount: string | null;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly newest: number;
  readonly lookedAt: number;
}

interface NamedRecords {
  readonly name: string;
  readonly records: number;
}

/** Open records that were refused by one rule at one path. */
export interface QuarantineCause {
  readonly reason: string;
  readonly cause: string;
  /** Of the newest: with its numbers. */
  readonly detail: string;
  readonly records: number;
  /** When the first and the last of them were set aside, epoch ms. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly newest: number;
  /** What they tell of, as far as that can be read: exact decimal text by currency. */
  readonly money: readonly { readonly amount: string; readonly currency: string }[];
  /** Who sent them, the most first; those that do not say are in `records` alone. */
  readonly sources: readonly NamedRecords[];
  readonly stores: readonly NamedRecords[];
  /** How many came in each hour of the day before now, epoch ms; hours without any are left out. */
  readonly hours: readonly { readonly at: number; readonly records: number }[];
}

export interface QuarantineCauses {
  readonly causes: readonly QuarantineCause[];
  /** False: there may be more, only the newest `tallyMax` open records are looked at. */
  readonly isExact: boolean;
}

const keyOf = ({ reason, cause }: Pick<CauseRow, 'reason' | 'cause'>): string => JSON.stringify([reason, cause]);

function named(rows: readonly CauseRow[], nameOf: (row: CauseRow) => string | null): readonly NamedRecords[] {
  const found = rows.flatMap((row) => {
    const name = nameOf(row);
    return name === null ? [] : [{ name, records: row.records }];
  });
  return found.slice(0, namedMax);
}

function causeIn(whole: CauseRow, rows: readonly CauseRow[], detail: string): QuarantineCause {
  const { reason, cause, records, firstAt, lastAt, newest } = whole;
  const of = (part: number): readonly CauseRow[] => rows.filter((row) => row.part === part);
  const hours = of(parts.hour).flatMap(({ hour, records: count }) =>
    hour === null ? [] : [{ at: hour, records: count }],
  );
  return {
    ...{ reason, cause, detail, records, firstAt, lastAt, newest },
    money: of(parts.currency).flatMap(({ amount, currency }) =>
      amount === null || currency === null ? [] : [{ amount, currency }],
    ),
    sources: named(of(parts.source), ({ source }) => source),
    stores: named(of(parts.store), ({ store }) => store),
    hours: hours.toSorted((one, other) => one.at - other.at),
  };
}

/** What is set aside, by why. */
@Injectable()
export class QuarantineCausesRepository {
  constructor(
    private readonly database: Database,
    @Inject(IngestKeys) private readonly keys: Pick<IngestKeys, 'mac'>,
  ) {}

  /** Of the open records of a filter, the cause with the most first. */
  async list(filter: QuarantineFilter, now: number): Promise<QuarantineCauses> {
    const parameters = [...filterParameters(filter, this.keys.mac), timestamp(now - dayMs)];
    const { rows } = await this.database.execute<CauseRow>(causesStatement, parameters);
    const wholes = rows.filter(({ part }) => part === parts.whole).slice(0, causesMax);
    const byCause = Map.groupBy(rows, keyOf);
    const details = await this.detailsOf(wholes.map(({ newest }) => newest));
    const causes = wholes.map((whole) =>
      causeIn(whole, byCause.get(keyOf(whole)) ?? [], details.get(whole.newest) ?? ''),
    );
    return { causes, isExact: (rows[0]?.lookedAt ?? 0) <= tallyMax };
  }

  private async detailsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.database.execute<{ id: number; detail: string }>(detailsStatement, [ids]);
    return new Map(rows.map(({ id, detail }) => [id, detail]));
  }
}
