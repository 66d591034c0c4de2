import { Injectable } from '@nestjs/common';

import type { IntentCountView, IntentFacet, StatsView } from '#contracts';
import type { IntentStatus } from '#intents/core';
import type { SqlStatement } from '#platform';
import { Clock, Database } from '#platform';

import type { ProgramLimit } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import { StatsService } from '../stats/stats-service.js';
import { countsByStatus } from '../stats/stats-view.js';
import type { CountRequest } from './count-open.js';
import { OpenIntents } from './count-open.js';
import type { CandidateIntent, IntentFilter, ListPosition } from './list-intents.js';
import { candidatesStatement, countedAtOnce, isWanted, parametersOf, planOf, positionOf } from './list-intents.js';
import { MoneySum } from './money-view.js';

/** A count of single intents ends here, */
export const countedMax = 10_000;
/** or after so long. */
const countMsMax = 50;

/** @returns whether it has come to the end of them: of very many only the newest are looked at, or those that time allows */
export async function eachListed(
  { database, clock }: { readonly database: Database; readonly clock: Pick<Clock, 'monotonic'> },
  { filter, programs }: CountRequest,
  visit: (intent: CandidateIntent) => void,
): Promise<boolean> {
  const plan = planOf(filter);
  const endsAt = clock.monotonic() + countMsMax;
  let after: ListPosition | null = null;
  for (let count = 0; ;) {
    const parameters = parametersOf(plan, { filter, after });
    const { rows } = await database.execute<CandidateIntent>(candidatesStatement(plan, countedAtOnce), parameters);
    const wanted = rows.filter((row) => maySee(programs, row.program) && isWanted(filter, row));
    wanted.forEach(visit);
    count += wanted.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < countedAtOnce) return true;
    if (count >= countedMax || clock.monotonic() > endsAt) return false;
    after = positionOf(last);
  }
}

/** Counts as `IntentRepository` lists: as many candidates as there are, or as time allows. */
export async function countListed(
  database: Database,
  request: CountRequest,
  clock: Pick<Clock, 'monotonic'>,
): Promise<IntentCountView> {
  const sum = new MoneySum();
  let count = 0;
  const isExact = await eachListed({ database, clock }, request, (intent) => {
    count += 1;
    sum.add(intent);
  });
  return { count, isExact, money: sum.views(), moneyOf: count };
}

type KeptCount = StatsView['intents'][number];

const keptValueOf = {
  status: ({ status }: KeptCount): string => status,
  operation: ({ operation }: KeptCount): string => operation,
  program: ({ program }: KeptCount): string => program,
};

export interface CountsBy {
  readonly counts: ReadonlyMap<string, number>;
  /** With those that have no value. */
  readonly all: number;
  readonly isExact: boolean;
}

const keptKeys: ReadonlySet<string> = new Set(['status', 'statuses', 'operation', 'program']);

/** Count is kept of all intents there ever were: nothing else than these may be asked of them. */
function isKeptCount(filter: IntentFilter): boolean {
  return Object.entries(filter).every(([key, value]) => value === undefined || keptKeys.has(key));
}

const hasRetiredStatement: SqlStatement = {
  name: 'has_retired_intents',
  text: 'SELECT EXISTS (SELECT FROM retired_tally) AS "hasRetired"',
};

/** Of these every one is counted anew with each look at how things stand. */
const countedAnew: ReadonlySet<IntentStatus | undefined> = new Set<IntentStatus>(['waiting', 'unknown', 'parked']);

/** Counts what a list would show, in little time however much that is. */
@Injectable()
export class IntentCounter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly stats: StatsService,
    private readonly open: OpenIntents,
  ) {}

  /** Of the first of these that there are any of. */
  async countFirst(filters: readonly IntentFilter[], programs: ProgramLimit): Promise<IntentCountView> {
    let counted: IntentCountView = { count: 0, isExact: true, money: [], moneyOf: 0 };
    for (const filter of filters) {
      counted = await this.count({ filter, programs });
      if (counted.count > 0 || !counted.isExact) break;
    }
    return counted;
  }

  async count(request: CountRequest): Promise<IntentCountView> {
    const open = await this.open.sum(request);
    if (open !== null) return { ...open, isExact: true, moneyOf: open.count };
    const [kept, counted] = await Promise.all([
      this.keptCounts(request, () => ''),
      countListed(this.database, request, this.clock),
    ]);
    if (kept === null || counted.isExact) return counted;
    const { isExact, all } = kept;
    return { ...counted, count: isExact ? all : Math.max(all, counted.count), isExact };
  }

  /**
   * How many there are by the values of one filter, without a look at each of them.
   * @returns null where that is not known
   */
  async countBy(of: IntentFacet, request: CountRequest): Promise<CountsBy | null> {
    const open = await this.open.countBy(of, request);
    if (open !== null) return { ...open, isExact: true };
    return of in keptValueOf ? this.keptCounts(request, keptValueOf[of as keyof typeof keptValueOf]) : null;
  }

  /** From the counts that are kept of all; null where a filter asks for what no count is kept of. */
  private async keptCounts(
    { filter, programs }: CountRequest,
    keyOf: (kept: KeptCount) => string,
  ): Promise<CountsBy | null> {
    if (!isKeptCount(filter)) return null;
    const { overview } = await this.stats.current();
    const { status, operation, program } = filter;
    const statuses = filter.statuses ?? (status === undefined ? null : [status]);
    const wanted = countsByStatus(overview).filter(
      (each) =>
        maySee(programs, each.program) &&
        (statuses?.includes(each.status) ?? true) &&
        (operation === undefined || each.operation === operation) &&
        (program === undefined || each.program === program),
    );
    const counts = new Map<string, number>();
    for (const each of wanted) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + each.intents);
    const all = wanted.reduce((sum, { intents }) => sum + intents, 0);
    const isAllCounted = overview.uncountedSince === null;
    const areExact = (statuses ?? [undefined]).map(async (one) => this.isExactly(one, isAllCounted));
    return { counts, all, isExact: (await Promise.all(areExact)).every((isExact) => isExact) };
  }

  /** What is delivered counts as pending until its event is counted, and what has left the database is counted still. */
  private async isExactly(status: IntentStatus | undefined, isAllCounted: boolean): Promise<boolean> {
    if (countedAnew.has(status)) return true;
    if (status === 'pending' || status === 'delivering' || (status !== undefined && !isAllCounted)) return false;
    const { rows } = await this.database.execute<{ hasRetired: boolean }>(hasRetiredStatement);
    return rows[0]?.hasRetired === false;
  }
}
