import { Injectable } from '@nestjs/common';

import type { IntentFacet, IntentValuesQuery, IntentValuesView } from '#contracts';
import { Clock, Database } from '#platform';

import type { ProgramLimit } from '../access/operator.js';
import { GroupService } from '../groups/group-service.js';
import { eachListed, IntentCounter } from './count-listed.js';
import type { CountRequest } from './count-open.js';
import { filtersOf } from './intent-service.js';
import type { CandidateIntent, IntentFilter } from './list-intents.js';
import { keptStatuses } from './list-intents.js';

/** Values in one answer; the others are only counted. */
export const valuesMax = 50;

const valueOf: Readonly<Record<IntentFacet, (intent: CandidateIntent) => string | null>> = {
  status: ({ status }) => status,
  operation: ({ operation }) => operation,
  program: ({ program }) => program,
  store: ({ storeId }) => storeId,
  source: ({ source }) => source,
  reason: ({ reason }) => reason,
  code: ({ code }) => code,
  fingerprint: ({ fingerprint }) => fingerprint,
};

const troubles: readonly IntentFacet[] = ['reason', 'code', 'fingerprint'];

/** The other filters, in their meaning: a reason alone means what is parked, and what has a reason has one of few statuses. */
function others(filter: IntentFilter, of: IntentFacet): IntentFilter {
  const rest: IntentFilter = { ...filter, [of]: undefined };
  const isOfTrouble = troubles.some((name) => rest[name] !== undefined);
  if (of === 'status') {
    const { statuses: _statuses, ...single } = rest;
    return isOfTrouble ? { ...single, statuses: [...keptStatuses] } : single;
  }
  const isOfNoStatus = rest.status === undefined && rest.statuses === undefined;
  return troubles.includes(of) && isOfNoStatus ? { ...rest, status: 'parked' } : rest;
}

interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly isExact: boolean;
  /** With those that have no value. */
  readonly countedOf: number;
}

/** What a list may be narrowed down to, with how many each would show. */
@Injectable()
export class IntentValues {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly counter: IntentCounter,
    private readonly groups: GroupService,
  ) {}

  async list({ of, has, ...query }: IntentValuesQuery, programs: ProgramLimit): Promise<IntentValuesView> {
    let counted: Counted = { counts: new Map(), isExact: true, countedOf: 0 };
    for (const filter of filtersOf(query)) {
      counted = await this.count(of, { filter: others(filter, of), programs });
      if (counted.countedOf > 0) break;
    }
    const { counts, isExact, countedOf } = counted;
    const wordings = of === 'fingerprint' ? await this.wordings(programs) : new Map<string, string>();
    const wanted = (has ?? '').toLowerCase();
    const found = [...counts]
      .map(([value, intents]) => ({ value, intents, wording: wordings.get(value) ?? null }))
      .filter(
        ({ value, intents, wording }) => intents > 0 && `${value}\n${wording ?? ''}`.toLowerCase().includes(wanted),
      )
      .toSorted((one, other) => other.intents - one.intents || (one.value < other.value ? -1 : 1));
    return { items: found.slice(0, valuesMax), more: Math.max(0, found.length - valuesMax), isExact, countedOf };
  }

  private async count(of: IntentFacet, request: CountRequest): Promise<Counted> {
    const kept = await this.counter.countBy(of, request);
    if (kept !== null) return { ...kept, countedOf: kept.all };
    const counts = new Map<string, number>();
    let countedOf = 0;
    const isExact = await eachListed({ database: this.database, clock: this.clock }, request, (intent) => {
      countedOf += 1;
      const value = valueOf[of](intent);
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    });
    return { counts, isExact, countedOf };
  }

  private async wordings(programs: ProgramLimit): Promise<ReadonlyMap<string, string>> {
    const { items } = await this.groups.list(programs);
    return new Map(
      items.flatMap(({ fingerprint, wording }) =>
        fingerprint === null || wording === null ? [] : [[fingerprint, wording]],
      ),
    );
  }
}
