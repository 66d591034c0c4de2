import type { IntentStatus, Operation } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

/** One look at one moment: what was ever recorded, what ended, and what stands in trouble now. */
const countIntentsStatement: SqlStatement = {
  name: 'count_intents',
  text: `
SELECT program_id AS program, operation, 'recorded' AS what, sum(recorded)::bigint AS intents
FROM intent_tally GROUP BY 1, 2
UNION ALL
SELECT program_id, operation, status, intents FROM settled_tally
UNION ALL
SELECT program_id, operation, status, count(*) FROM intent_standing
WHERE status IN ('waiting', 'unknown', 'parked') GROUP BY 1, 2, 3`,
};

interface CountRow {
  readonly program: string;
  readonly operation: Operation;
  readonly what: 'recorded' | Exclude<IntentStatus, 'pending' | 'delivering'>;
  readonly intents: number;
}

/** How many intents of one program and operation stand how. */
export interface IntentCount {
  readonly program: string;
  readonly operation: Operation;
  /** `pending` holds what is being delivered, too: only its lane tells that. */
  readonly byStatus: Readonly<Record<Exclude<IntentStatus, 'delivering'>, number>>;
  readonly recorded: number;
}

/** What is neither settled nor in trouble is pending. What was settled in the last moments may still count as pending. */
function toCount(rows: readonly CountRow[]): IntentCount[] {
  const [first] = rows;
  if (first === undefined) return [];
  const counts = new Map(rows.map(({ what, intents }) => [what, intents]));
  const of = (what: CountRow['what']): number => counts.get(what) ?? 0;
  const told = { waiting: of('waiting'), unknown: of('unknown'), parked: of('parked') };
  const ended = { delivered: of('delivered'), cancelled: of('cancelled') };
  const others = [...Object.values(told), ...Object.values(ended)].reduce((sum, count) => sum + count, 0);
  const pending = Math.max(0, of('recorded') - others);
  const { program, operation } = first;
  return [{ program, operation, recorded: of('recorded'), byStatus: { ...told, ...ended, pending } }];
}

/**
 * How many intents stand how, by program and operation, in their order. Reads the kept counts and what is in trouble now:
 * as many rows as there are waiting, unknown and parked intents, however many were ever recorded.
 */
export async function countIntents(database: Database): Promise<IntentCount[]> {
  const { rows } = await database.execute<CountRow>(countIntentsStatement);
  const groups = Map.groupBy(rows, ({ program, operation }) => JSON.stringify([program, operation]));
  return [...groups.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, group]) => toCount(group));
}

const findTallyLagStatement: SqlStatement = {
  name: 'find_tally_lag',
  text: `
SELECT (SELECT e.at FROM intent_event e WHERE e.pos > c.pos ORDER BY e.pos LIMIT 1) AS since FROM tally_checkpoint c`,
};

/** When the first event happened that the counts of settled intents do not hold yet, epoch ms; null: they hold all. */
export async function findTallyLag(database: Database): Promise<number | null> {
  return (await database.execute<{ since: number | null }>(findTallyLagStatement)).rows[0]?.since ?? null;
}
