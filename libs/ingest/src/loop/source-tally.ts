import { lateAfterSeconds } from '#contracts';
import type { RecordResult } from '#intents';
import { keptSender, timestamp } from '#intents';
import type { Clock, Database, Logger, Random, SqlStatement } from '#platform';
import { BackgroundLoop } from '#platform';

import type { EventOrigin } from './prepare-record.js';

/** Sources, stores and programs told apart in an hour: here between two writings, and in the table. Others are the rest. */
export const sourcesToldMax = 1_000;
/** How often what was added up is written. */
const writeIntervalMs = 10_000;

const hourMs = 3_600_000;
const counts = ['events', 'invalid', 'late', 'duplicates', 'conflicting', 'outOfOrder'] as const;
type Counts = Record<(typeof counts)[number], number>;

interface SourceCounts extends Counts {
  /** Epoch ms: the beginning of the hour. */
  readonly at: number;
  readonly isRest: boolean;
  readonly source: string;
  readonly store: string;
  readonly program: string;
}

/** What is known of who sent a record, and what became of it. */
interface TalliedRecord {
  readonly origin?: EventOrigin;
  readonly original: { readonly brokerAt: number };
}

/** Why records are no events of their sender's: what another cell takes, or was there before, it has told once. */
const notSent: ReadonlySet<string> = new Set(['other-cell', 'already-consumed', 'tombstone']);
const duplicate: ReadonlySet<string> = new Set(['duplicate-event', 'duplicate-business-key']);

/** Which counts a record raises; none: it is not counted. */
function raised(result: RecordResult, isLate: boolean): (keyof Counts)[] {
  if (result.kind === 'quarantined') return [result.reason === 'conflict' ? 'conflicting' : 'invalid'];
  const reason = result.kind === 'ignored' ? result.reason : '';
  if (notSent.has(reason)) return [];
  if (duplicate.has(reason)) return ['duplicates'];
  return ['events', ...(isLate ? (['late'] as const) : []), ...(reason === 'stale' ? (['outOfOrder'] as const) : [])];
}

/** Adds up what each producer has sent, in little memory however many there are. */
export class SourceTally {
  private byKey = new Map<string, SourceCounts>();

  /** @param now when they were recorded, epoch ms */
  add(records: readonly TalliedRecord[], results: readonly RecordResult[], now: number): void {
    const at = Math.floor(now / hourMs) * hourMs;
    for (const [index, { origin, original }] of records.entries()) {
      const result = results[index];
      const occurredAt = origin?.occurredAt ?? original.brokerAt;
      const isLate = original.brokerAt - occurredAt > lateAfterSeconds * 1_000;
      const names = result === undefined ? [] : raised(result, isLate);
      if (names.length === 0) continue;
      const sum = this.sumOf(at, origin);
      for (const name of names) sum[name] += 1;
    }
  }

  /** All that was added up since the last time. */
  take(): readonly SourceCounts[] {
    const taken = [...this.byKey.values()];
    this.byKey = new Map();
    return taken;
  }

  private sumOf(at: number, origin: EventOrigin | undefined): SourceCounts {
    const key = `${at}\u0000${origin?.source ?? ''}\u0000${origin?.store ?? ''}\u0000${origin?.program ?? ''}`;
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const isRest = this.byKey.size >= sourcesToldMax;
    return isRest ? this.began(`${at}`, { at, isRest, origin: undefined }) : this.began(key, { at, isRest, origin });
  }

  private began(
    key: string,
    { at, isRest, origin }: { readonly at: number; readonly isRest: boolean; readonly origin: EventOrigin | undefined },
  ): SourceCounts {
    const sum = this.byKey.get(key) ?? {
      ...{ at, isRest, events: 0, invalid: 0, late: 0, duplicates: 0, conflicting: 0, outOfOrder: 0 },
      ...keptSender(origin),
    };
    this.byKey.set(key, sum);
    return sum;
  }
}

const names = ['events', 'invalid', 'late', 'duplicates', 'conflicting', 'out_of_order'] as const;

/** New ones have room as far as the hour is not full; the sums of those that have none go into one row. In order: no deadlocks. */
const addStatement: SqlStatement = {
  name: 'add_sources',
  text: `
WITH given AS (
  SELECT * FROM unnest($1::timestamptz[], $2::boolean[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::int[],
    $9::int[], $10::int[], $11::int[]) AS g (at, is_rest, source, store_id, program_id, ${names.join(', ')})
), full_hour AS (
  SELECT at, count(*) AS rows FROM source_tally WHERE at IN (SELECT at FROM given) AND NOT is_rest GROUP BY 1
), placed AS (
  SELECT g.*, g.is_rest OR (t.at IS NULL AND COALESCE(f.rows, 0)
    + row_number() OVER (PARTITION BY g.at, t.at IS NULL, g.is_rest ORDER BY g.events DESC) > ${sourcesToldMax}) AS has_no_room
  FROM given g LEFT JOIN source_tally t USING (at, is_rest, source, store_id, program_id) LEFT JOIN full_hour f ON f.at = g.at
)
INSERT INTO source_tally AS t (at, is_rest, source, store_id, program_id, ${names.join(', ')})
SELECT at, has_no_room, CASE WHEN has_no_room THEN '' ELSE source END, CASE WHEN has_no_room THEN '' ELSE store_id END,
  CASE WHEN has_no_room THEN '' ELSE program_id END, ${names.map((name) => `sum(${name})::int`).join(', ')}
FROM placed GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
ON CONFLICT (at, is_rest, source, store_id, program_id)
DO UPDATE SET ${names.map((name) => `${name} = t.${name} + EXCLUDED.${name}`).join(', ')}`,
};

/**
 * Writes what was added up. What a failed write held is lost: where the answer was, it may be in the table, and counted again
 * it would be wrong. It tells of seconds, and no money hangs on it. @throws {DatabaseError}
 */
export async function writeSources(database: Database, tally: SourceTally): Promise<void> {
  const taken = tally.take();
  if (taken.length === 0) return;
  await database.execute(addStatement, [
    taken.map(({ at }) => timestamp(at)),
    taken.map(({ isRest }) => isRest),
    taken.map(({ source }) => source),
    taken.map(({ store }) => store),
    taken.map(({ program }) => program),
    ...counts.map((name) => taken.map((each) => each[name])),
  ]);
}

interface WriterTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Writes the counts of producers every few seconds, beside the transactions of their records (docs/decisions/0197): these would
 * wait for each other at a producer's row. Who dies takes the last seconds along.
 */
export function sourceWriter({ database, ...tools }: WriterTools, tally: SourceTally): BackgroundLoop {
  return new BackgroundLoop({
    ...tools,
    workOnce: async () => {
      await writeSources(database, tally);
      return writeIntervalMs;
    },
    close: () => writeSources(database, tally).catch(() => undefined),
    failureMessage: 'what producers sent was not counted',
  });
}
