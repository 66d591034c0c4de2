import type { Clock, Database, SqlParameter } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { IntentFilter, ListedIntent, ListPosition } from './listed-intent.js';
import { isWanted } from './listed-intent.js';
import type { LookPlan } from './look-statement.js';
import { lookSizes, lookStatement, planOf } from './look-statement.js';

/** A page ends after so long even if it is not full: nobody waits for a filter that fits little. */
export const listMsMax = 25;

const beyondMs = Date.parse('9999-12-31T23:59:59.999Z');
const beyond: ListPosition = { recordedAt: beyondMs, laneId: Number.MAX_SAFE_INTEGER, seq: 2 ** 31 - 1 };

export interface ListRequest {
  readonly filter: IntentFilter;
  /** Where the page before ended; null for the first. */
  readonly after: ListPosition | null;
  /** Intents in the page at most; bounded by the caller. */
  readonly limit: number;
}

/** `next` is null at the end. A page may be short, even empty, and yet not be the last. */
export interface ListPage {
  readonly items: readonly ListedIntent[];
  readonly next: ListPosition | null;
}

type Sought = readonly [SqlParameter, SqlParameter];

/** What each plan looks for (`$5` and `$6` of its statement). */
const soughtBy: Readonly<Record<LookPlan, (filter: IntentFilter) => Sought>> = {
  one: ({ laneId = null, seq = null }) => [laneId, seq],
  newest: () => [null, null],
  standing: ({ status = 'parked' }) => [status, null],
  purchase: ({ purchaseId = null }) => [purchaseId, null],
  member: ({ memberId = null, program = null }) => [memberId, program],
};

function parametersOf(plan: LookPlan, { filter, after }: ListRequest): readonly SqlParameter[] {
  const position = after ?? firstPosition(filter);
  const floor = filter.from === undefined ? '-infinity' : timestamp(filter.from);
  return [timestamp(position.recordedAt), position.laneId, position.seq, floor, ...soughtBy[plan](filter)];
}

function firstPosition({ to, memberId }: IntentFilter): ListPosition {
  // A member's intents are read in the order of the lane: there `to` is only checked.
  return to === undefined || memberId !== undefined ? beyond : { recordedAt: to, laneId: 0, seq: 0 };
}

function positionOf({ recordedAt, laneId, seq }: ListedIntent): ListPosition {
  return { recordedAt, laneId, seq };
}

/**
 * One page of intents, the newest first. Candidates come from the most selective place there is (look-statement.ts); what
 * else the filter asks for is checked on them. A filter that fits little among many candidates gives short pages.
 */
export async function listIntents(database: Database, request: ListRequest, clock: Clock): Promise<ListPage> {
  const { filter, limit } = request;
  const plan = planOf(filter);
  const endsAt = clock.monotonic() + listMsMax;
  const items: ListedIntent[] = [];
  let { after } = request;
  for (let size: (typeof lookSizes)[number] = lookSizes[0]; ; size = lookSizes[1]) {
    const parameters = parametersOf(plan, { ...request, after });
    const { rows } = await database.execute<ListedIntent>(lookStatement(plan, size), parameters);
    for (const row of rows) {
      after = positionOf(row);
      if (!isWanted(filter, row)) continue;
      items.push(row);
      if (items.length === limit) return { items, next: after };
    }
    if (rows.length < size) return { items, next: null };
    if (clock.monotonic() > endsAt) return { items, next: after };
  }
}
