import { Injectable } from '@nestjs/common';

import type { IntentCountView } from '#contracts';
import type { IntentStatus } from '#intents/core';
import type { SqlStatement } from '#platform';
import { Clock, Database } from '#platform';

import type { ProgramLimit } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import { StatsService } from '../stats/stats-service.js';
import { countsByStatus } from '../stats/stats-view.js';
import type { CandidateIntent, IntentFilter, ListPosition } from './list-intents.js';
import { candidatesStatement, countedAtOnce, isWanted, parametersOf, planOf, positionOf } from './list-intents.js';

/** A count of single intents ends here, */
export const countedMax = 10_000;
/** or after so long. */
const countMsMax = 50;

interface CountRequest {
  readonly filter: IntentFilter;
  /** Only of these; null: of all. */
  readonly programs: ProgramLimit;
}

/** Counts as `IntentRepository` lists: as many candidates as there are, or as time allows. */
export async function countListed(
  database: Database,
  { filter, programs }: CountRequest,
  clock: Pick<Clock, 'monotonic'>,
): Promise<IntentCountView> {
  const plan = planOf(filter);
  const endsAt = clock.monotonic() + countMsMax;
  let after: ListPosition | null = null;
  for (let count = 0; ;) {
    const parameters = parametersOf(plan, { filter, after });
    const { rows } = await database.execute<CandidateIntent>(candidatesStatement(plan, countedAtOnce), parameters);
    count += rows.filter((row) => maySee(programs, row.program) && isWanted(filter, row)).length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < countedAtOnce) return { count, isExact: true };
    if (count >= countedMax || clock.monotonic() > endsAt) return { count, isExact: false };
    after = positionOf(last);
  }
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
  ) {}

  /** Of the first of these that there are any of. */
  async countFirst(filters: readonly IntentFilter[], programs: ProgramLimit): Promise<IntentCountView> {
    let counted: IntentCountView = { count: 0, isExact: true };
    for (const filter of filters) {
      counted = await this.count({ filter, programs });
      if (counted.count > 0 || !counted.isExact) break;
    }
    return counted;
  }

  async count(request: CountRequest): Promise<IntentCountView> {
    const kept = isKeptCount(request.filter) ? await this.keptCount(request) : null;
    if (kept?.isExact === true) return kept;
    const counted = await countListed(this.database, request, this.clock);
    if (kept === null || counted.isExact) return counted;
    return { count: Math.max(kept.count, counted.count), isExact: false };
  }

  private async keptCount({ filter, programs }: CountRequest): Promise<IntentCountView> {
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
    const count = wanted.reduce((sum, { intents }) => sum + intents, 0);
    const isAllCounted = overview.uncountedSince === null;
    const areExact = (statuses ?? [undefined]).map(async (one) => this.isExactly(one, isAllCounted));
    return { count, isExact: (await Promise.all(areExact)).every((isExact) => isExact) };
  }

  /** What is delivered counts as pending until its event is counted, and what has left the database is counted still. */
  private async isExactly(status: IntentStatus | undefined, isAllCounted: boolean): Promise<boolean> {
    if (countedAnew.has(status)) return true;
    if (status === 'pending' || status === 'delivering' || (status !== undefined && !isAllCounted)) return false;
    const { rows } = await this.database.execute<{ hasRetired: boolean }>(hasRetiredStatement);
    return rows[0]?.hasRetired === false;
  }
}
