import type { IntentQuery } from '#contracts';
import type { IntentFilter } from '#intents';

import { timeRange } from '../requests/time-range.js';
import { intentNames } from './intent-names.js';

/** What is looked for, one after the other: `q` may be the id of several things. */
export function filtersOf({ q, from, to, cursor: _cursor, limit: _limit, ...rest }: IntentQuery): IntentFilter[] {
  const filter = { ...rest, ...timeRange({ from, to }) } as IntentFilter;
  return q === undefined ? [filter] : searches(q).map((search) => ({ ...filter, ...search }));
}

function searches(q: string): IntentFilter[] {
  const [name] = intentNames(q);
  if (name !== undefined) return [name];
  return [{ purchaseId: q }, { memberId: q }];
}
