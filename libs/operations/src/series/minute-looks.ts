import type { IntentCount } from '#intents';
import { countIntents, floorMinute, ProcessRepository, minuteMs, timestamp } from '#intents';
import type { Clock, Database, Logger, Random, SqlSession, SqlStatement } from '#platform';
import { BackgroundLoop } from '#platform';

import type { MomentLag } from '../stats/reported-figures.js';
import { lagOfAll } from '../stats/reported-figures.js';

/** A day, and an hour in which the oldest of it may be asked for. Further back is Prometheus. */
export const minutesKeptMs = 25 * 3_600_000;

/** After a minute's end, so that what was recorded in it is visible. */
const lookDelayMs = 1_000;
/** So that the processes do not all look at once: the first one spares the others the counting. */
const lookSpreadMs = 2_000;
/** A look that comes later than this after a minute's end does not show the state at its end. */
const promptMsMax = 30_000;
/** Minutes counted in one transaction, after a long time without a look. */
const minutesCountedMax = 5;
/** Records set aside that one look counts; where there are more, the first of them. */
const recordsLookedAtMax = 1_000_000;
/** Rows dropped in one look; a look adds one for each program. */
const rowsDroppedMax = 1_000;

const findCheckpointStatement: SqlStatement = {
  name: 'find_minute_checkpoint',
  text: 'SELECT at FROM minute_checkpoint',
};

const lockCheckpointStatement: SqlStatement = {
  name: 'lock_minute_checkpoint',
  isRead: true,
  text: 'SELECT at, quarantine_id AS "quarantineId" FROM minute_checkpoint FOR UPDATE',
};

const moveCheckpointStatement: SqlStatement = {
  name: 'move_minute_checkpoint',
  text: 'UPDATE minute_checkpoint SET at = $1::timestamptz, quarantine_id = $2::bigint',
};

const ofMinute = (column: string): string => `date_bin('1 minute', ${column}, '1970-01-01T00:00:00Z'::timestamptz)`;

/** OFFSET 0 keeps the planner on the indexes: it would read all members for what it takes to be many intents. */
const countReceivedStatement: SqlStatement = {
  name: 'count_received',
  text: `
SELECT ${ofMinute('i.recorded_at')} AS at, m.program_id AS program, count(*) AS intents
FROM (SELECT recorded_at, lane_id FROM intent WHERE recorded_at >= $1::timestamptz AND recorded_at < $2::timestamptz
  ORDER BY recorded_at OFFSET 0) i
CROSS JOIN LATERAL (SELECT program_id FROM member WHERE member.lane_id = i.lane_id OFFSET 0) m
GROUP BY 1, 2`,
};

/** By their ids, which rise with time: no index knows when a record was set aside. */
const countQuarantinedStatement: SqlStatement = {
  name: 'count_quarantined_by_minute',
  text: `
SELECT ${ofMinute('recorded_at')} AS at, count(*) AS records, min(quarantine_id) AS "firstId", max(quarantine_id) AS "lastId"
FROM (SELECT recorded_at, quarantine_id FROM quarantine WHERE quarantine_id > $1::bigint
  ORDER BY quarantine_id LIMIT ${recordsLookedAtMax}) q
GROUP BY 1`,
};

/** What is NULL here stays as it was: each minute may be written more than once, by the same counts. */
const saveStatement: SqlStatement = {
  name: 'save_minutes',
  text: `
INSERT INTO minute_tally AS t (at, program_id, received, quarantined, waiting, pending, still_unknown, still_parked,
  lag_records, lag_seconds)
SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
  $9::bigint[], $10::int[])
ORDER BY 1, 2
ON CONFLICT (at, program_id) DO UPDATE SET received = COALESCE(EXCLUDED.received, t.received),
  quarantined = COALESCE(EXCLUDED.quarantined, t.quarantined), waiting = COALESCE(EXCLUDED.waiting, t.waiting),
  pending = COALESCE(EXCLUDED.pending, t.pending), still_unknown = COALESCE(EXCLUDED.still_unknown, t.still_unknown),
  still_parked = COALESCE(EXCLUDED.still_parked, t.still_parked), lag_records = COALESCE(EXCLUDED.lag_records, t.lag_records),
  lag_seconds = COALESCE(EXCLUDED.lag_seconds, t.lag_seconds)`,
};

const dropStatement: SqlStatement = {
  name: 'drop_minutes',
  text: `
DELETE FROM minute_tally WHERE (at, program_id) IN (
  SELECT at, program_id FROM minute_tally WHERE at < $1::timestamptz ORDER BY at LIMIT ${rowsDroppedMax})`,
};

interface Checkpoint {
  readonly at: number;
  readonly quarantineId: number;
}

/** A program's row of a minute; null: left as it is. */
interface MinuteRow {
  readonly at: number;
  readonly program: string;
  readonly received: number | null;
  readonly quarantined: number | null;
  readonly standing: Readonly<Record<'waiting' | 'pending' | 'unknown' | 'parked', number>> | null;
  /** Of no program. */
  readonly lag: MomentLag | null;
}

/** Of no program: of the records that were set aside or lie in Kafka, and of the looks. */
const noProgram = '';
const unsaid = { received: null, quarantined: null, standing: null, lag: null };
const nothing = { waiting: 0, pending: 0, unknown: 0, parked: 0 };

interface ReceivedRow {
  readonly at: number;
  readonly program: string;
  readonly intents: number;
}

interface QuarantinedRow {
  readonly at: number;
  readonly records: number;
  readonly firstId: number;
  readonly lastId: number;
}

/** The minutes that one look counts: both ends are the beginnings of minutes, and counted. */
interface Slice {
  readonly first: number;
  readonly last: number;
  /** What stands at the end of the last one; null: that was too long ago to say. */
  readonly standing: readonly IntentCount[] | null;
  /** How far Kafka is ahead at its end; null: not known. */
  readonly lag: MomentLag | null;
}

function sumByProgram(counts: readonly IntentCount[]): ReadonlyMap<string, typeof nothing> {
  const sums = new Map<string, typeof nothing>();
  for (const { program, byStatus } of counts) {
    const sum = sums.get(program) ?? nothing;
    sums.set(program, {
      waiting: sum.waiting + byStatus.waiting,
      pending: sum.pending + byStatus.pending,
      unknown: sum.unknown + byStatus.unknown,
      parked: sum.parked + byStatus.parked,
    });
  }
  return sums;
}

/** A program without open intents has no row: the row of no program says that a look took place. */
function standingRows({ last, standing, lag }: Slice): MinuteRow[] {
  if (standing === null) return [];
  const some = [...sumByProgram(standing)].filter(([, sum]) => Object.values(sum).some((count) => count > 0));
  return [...some, [noProgram, nothing] as const].map(([program, sum]) => ({
    ...{ at: last, program, received: program === noProgram ? null : 0 },
    ...{ quarantined: program === noProgram ? 0 : null, standing: sum, lag: program === noProgram ? lag : null },
  }));
}

/** What one row of a minute and program says, and where it says nothing the other. */
function filledIn(
  { received, quarantined, standing, lag, ...key }: MinuteRow,
  other: MinuteRow | undefined,
): MinuteRow {
  if (other === undefined) return { received, quarantined, standing, lag, ...key };
  return {
    ...key,
    received: received ?? other.received,
    quarantined: quarantined ?? other.quarantined,
    standing: standing ?? other.standing,
    lag: lag ?? other.lag,
  };
}

/** One row for each minute and program: what comes later counts. */
function merged(rows: readonly MinuteRow[]): MinuteRow[] {
  const byKey = new Map<string, MinuteRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.at, row.program]);
    byKey.set(key, filledIn(row, byKey.get(key)));
  }
  return [...byKey.values()];
}

/**
 * Behind which id everything lies that was set aside in these minutes, or later. Ids become visible in another order than
 * they were given out, though within seconds: two minutes more are looked at.
 */
function quarantineMark(rows: readonly QuarantinedRow[], last: number, known: number): number {
  const later = rows.filter(({ at }) => at >= last - 2 * minuteMs).map(({ firstId }) => firstId - 1);
  const earlier = rows.map(({ lastId }) => lastId);
  return Math.max(known, later.length > 0 ? Math.min(...later) : Math.max(known, ...earlier));
}

async function save(session: SqlSession, rows: readonly MinuteRow[]): Promise<void> {
  await session.query(saveStatement, [
    rows.map(({ at }) => timestamp(at)),
    rows.map(({ program }) => program),
    rows.map(({ received }) => received),
    rows.map(({ quarantined }) => quarantined),
    rows.map(({ standing }) => standing?.waiting ?? null),
    rows.map(({ standing }) => standing?.pending ?? null),
    rows.map(({ standing }) => standing?.unknown ?? null),
    rows.map(({ standing }) => standing?.parked ?? null),
    rows.map(({ lag }) => lag?.records ?? null),
    rows.map(({ lag }) => lag?.seconds ?? null),
  ]);
}

/** Counts the minutes of a slice, unless another process has moved the checkpoint meanwhile. */
async function countSlice(session: SqlSession, slice: Slice, counted: number): Promise<void> {
  const checkpoint = (await session.query<Checkpoint>(lockCheckpointStatement)).rows[0];
  if (checkpoint?.at !== counted) return;
  const { first, last } = slice;
  const span = [timestamp(first), timestamp(last + minuteMs)];
  const received = (await session.query<ReceivedRow>(countReceivedStatement, span)).rows;
  const setAside = (await session.query<QuarantinedRow>(countQuarantinedStatement, [checkpoint.quarantineId])).rows;
  const rows = [
    ...standingRows(slice),
    ...received.map(({ at, program, intents }) => ({ ...unsaid, at, program, received: intents })),
    ...setAside
      .filter(({ at }) => at >= first && at <= last)
      .map(({ at, records }) => ({ ...unsaid, at, program: noProgram, quarantined: records })),
  ];
  await save(session, merged(rows));
  const mark = quarantineMark(setAside, last, checkpoint.quarantineId);
  await session.query(moveCheckpointStatement, [timestamp(last), mark]);
}

interface LookTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Writes down the minutes that are over, and drops those that are too old. Any number of processes may do so: who comes
 * first has counted for all, and counting twice gives the same.
 * @returns after how many milliseconds there is more to do
 */
export async function lookAtMinutes({ database, clock, random }: LookTools): Promise<number> {
  const now = clock.now();
  const newest = floorMinute(now) - minuteMs;
  const { rows } = await database.execute<Pick<Checkpoint, 'at'>>(findCheckpointStatement);
  const counted = rows[0]?.at ?? newest;
  if (counted < newest) {
    const begin = Math.max(counted + minuteMs, floorMinute(now - minutesKeptMs));
    const last = Math.min(newest, begin + (minutesCountedMax - 1) * minuteMs);
    const isPrompt = last === newest && now - (newest + minuteMs) <= promptMsMax;
    const standing = isPrompt ? await countIntents(database) : null;
    const lag = isPrompt ? lagOfAll(await new ProcessRepository(database).list(now), now) : null;
    // The minute before is counted again: what was recorded in it may have been committed after it was counted.
    const slice = { first: begin - minuteMs, last, standing, lag };
    await database.transaction('count_minutes', (session) => countSlice(session, slice, counted));
    await database.execute(dropStatement, [timestamp(now - minutesKeptMs)]);
    if (last < newest) return 0;
  }
  return newest + 2 * minuteMs - now + lookDelayMs + Math.floor(random.unit() * lookSpreadMs);
}

/** Keeps what happened in each minute (docs/decisions/0031). */
export function minuteLooks(tools: LookTools & { readonly logger: Logger }): BackgroundLoop {
  return new BackgroundLoop({
    ...tools,
    workOnce: () => lookAtMinutes(tools),
    close: async () => undefined,
    failureMessage: 'the minutes were not counted',
  });
}
