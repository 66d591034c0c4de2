import { Injectable } from '@nestjs/common';

import type { MoneyView } from '#contracts';
import type { IntentStatus } from '#intents/core';
import type { SqlStatement } from '#platform';
import { Clock, Database } from '#platform';

import { isOfPrograms, type ProgramLimit } from '../access/operator.js';
import { CostlyAnswers } from '../requests/costly-answers.js';
import type { IntentFilter } from './list-intents.js';
import { MoneySum } from './money-view.js';

export interface CountRequest {
  readonly filter: IntentFilter;
  /** Only of these; null: of all. */
  readonly programs: ProgramLimit;
}

/** As `intent_standing_open` has them. */
const openStatuses: readonly IntentStatus[] = ['waiting', 'unknown', 'parked'];
const isOpen = (status: IntentStatus): boolean => openStatuses.includes(status);

const columns = {
  status: 'status',
  operation: 'operation',
  program: 'program_id',
  reason: 'reason',
  code: 'code',
  fingerprint: 'fingerprint',
} as const;

export type OpenColumn = keyof typeof columns;

const known: ReadonlySet<string> = new Set(['statuses', ...Object.keys(columns)]);
const causes = ['reason', 'code', 'fingerprint'] as const;

/** Different values that one answer tells apart. */
const valuesReadMax = 1_000;

const orAny = (column: string, parameter: string): string => `(${parameter}::text IS NULL OR ${column} = ${parameter})`;

/**
 * Without a cause the index has all that is read; with one it is read as groups are. $1 statuses, $2 programs, $3 program,
 * $4 operation, $5 to $7 causes.
 */
export function openStatement(column: OpenColumn | 'currency', hasCause: boolean): SqlStatement {
  const of = column === 'currency' ? column : columns[column];
  const isCause = hasCause
    ? causes.map((cause, index) => orAny(cause, `$${index + 5}`)).join(' AND ')
    : 'num_nonnulls($5::text, $6::text, $7::text) = 0';
  return {
    name: `count_open_by_${column}${hasCause ? '_of_cause' : ''}`,
    text: `
SELECT ${of} AS value, count(*) AS intents, ${column === 'currency' ? 'sum(amount)::text' : 'NULL'} AS amount
FROM intent_standing
WHERE status IN ('waiting', 'unknown', 'parked') AND status = ANY ($1::text[]) AND ${isOfPrograms('$2')}
  AND ${orAny('program_id', '$3')} AND ${orAny('operation', '$4')} AND ${isCause}
GROUP BY 1 ORDER BY 2 DESC LIMIT ${valuesReadMax}`,
  };
}

interface OpenRow {
  readonly value: string | null;
  readonly intents: number;
  readonly amount: string | null;
}

/** The statuses that a filter means, where it asks for nothing but open ones, whose they are and their cause; else null. */
function statusesOf(filter: IntentFilter): readonly IntentStatus[] | null {
  const asked = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (asked.some(([name]) => !known.has(name))) return null;
  const hasCause = causes.some((cause) => filter[cause] !== undefined);
  const statuses =
    filter.statuses ?? (filter.status === undefined ? (hasCause ? (['parked'] as const) : []) : [filter.status]);
  return statuses.length > 0 && statuses.every(isOpen) ? statuses : null;
}

/** Exact counts and sums of what is waiting, unknown or parked, however much that is. */
@Injectable()
export class OpenIntents {
  private readonly answers: CostlyAnswers<readonly OpenRow[]>;

  constructor(
    private readonly database: Database,
    clock: Clock,
  ) {
    this.answers = new CostlyAnswers(clock);
  }

  /** Null: the filter asks for others, too, or for more. */
  async sum(request: CountRequest): Promise<{ readonly count: number; readonly money: MoneyView[] } | null> {
    const rows = await this.rows('currency', request);
    if (rows === null) return null;
    const sum = new MoneySum();
    for (const { value: currency, amount } of rows) sum.add({ currency, amount });
    return { count: rows.reduce((count, { intents }) => count + intents, 0), money: sum.views() };
  }

  /** By the values of one column; null: as of `sum`, or that column is none of these. */
  async countBy(
    column: string,
    request: CountRequest,
  ): Promise<{ readonly counts: Map<string, number>; readonly all: number } | null> {
    const rows = Object.hasOwn(columns, column) ? await this.rows(column as OpenColumn, request) : null;
    if (rows === null) return null;
    const counts = rows.flatMap(({ value, intents }) => (value === null ? [] : [[value, intents] as const]));
    return { counts: new Map(counts), all: rows.reduce((sum, { intents }) => sum + intents, 0) };
  }

  private async rows(
    column: OpenColumn | 'currency',
    { filter, programs }: CountRequest,
  ): Promise<readonly OpenRow[] | null> {
    const statuses = statusesOf(filter);
    if (statuses === null) return null;
    const { program = null, operation = null, reason = null, code = null, fingerprint = null } = filter;
    const hasCause = reason !== null || code !== null || fingerprint !== null;
    const parameters = [statuses, programs, program, operation, reason, code, fingerprint];
    return this.answers.get(JSON.stringify([column, parameters]), async () => {
      return (await this.database.execute<OpenRow>(openStatement(column, hasCause), parameters)).rows;
    });
  }
}
