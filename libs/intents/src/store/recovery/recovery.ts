import { forgottenCode } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** What the restored moment may be off by: people round it. It decides nothing but whether it can be true. */
const restoredMarginMs = 60_000;
/** By how much the clocks of producers may be ahead of ours, where the broker keeps the producer's time. */
const producedMarginMs = 60_000;
/** Quarantine ids that the lost history may have given out, and its dead letters are known by. */
const quarantineIdsSkipped = 1_000_000;

/** The database was restored: what happened between `recoveredFrom` and `startedAt` is forgotten. Epoch ms. */
export interface Recovery {
  readonly recoveredFrom: number;
  readonly startedAt: number;
  /** The lost history may have sent what was produced earlier than this. */
  readonly producedUntil: number;
}

/** What was said of the restored moment cannot be. */
export class RecoveryRefusedError extends SafeError {
  override readonly name = 'RecoveryRefusedError';
}

const findStatement: SqlStatement = {
  name: 'find_known_recovery',
  text: `
SELECT recovered_from AS "recoveredFrom", started_at AS "startedAt", produced_until AS "producedUntil"
FROM recovery WHERE recovered_from = $1::timestamptz`,
};

/** One restore is told at a time. Any fixed number would do. */
const recoveryLock = 7_226_409_117;

const lockStatement: SqlStatement = {
  name: 'lock_recoveries',
  text: `SELECT pg_advisory_xact_lock(${recoveryLock})`,
};

/** The newest fact by recording, and by position: both are told by an index. */
const lastFactStatement: SqlStatement = {
  name: 'find_last_fact',
  text: `
SELECT greatest((SELECT max(recorded_at) FROM intent),
  (SELECT at FROM intent_event ORDER BY pos DESC LIMIT 1)) AS at`,
};

const insertStatement: SqlStatement = {
  name: 'insert_recovery',
  text: `
INSERT INTO recovery (recovered_from, started_at, produced_until)
VALUES ($1::timestamptz, $2::timestamptz, $3::timestamptz)`,
};

const skipIdsStatement: SqlStatement = {
  name: 'skip_quarantine_ids',
  mayTakeLong: true,
  text: `
SELECT count(nextval('quarantine_quarantine_id_seq')) FROM generate_series(
  (SELECT last_value FROM quarantine_quarantine_id_seq),
  (SELECT COALESCE(max(quarantine_id), 0) FROM quarantine) + ${quarantineIdsSkipped})`,
};

/** Whoever held a lane is gone, or fenced by the next claim. */
const endLeasesStatement: SqlStatement = {
  name: 'end_lost_leases',
  text: 'UPDATE lane SET due_at = $1::timestamptz WHERE owner IS NOT NULL AND due_at > $1::timestamptz',
};

/**
 * A lost history may have made a job's calls already: a person looks at the partner before one goes on. Of a scheduling the call
 * counts as begun, whoever resumes it; what only counts or plans calls nothing.
 */
const endJobsStatement: SqlStatement = {
  name: 'end_lost_jobs',
  text: `
UPDATE job SET owner = NULL, leased_until = NULL,
  state = CASE WHEN state = 'paused' THEN state ELSE 'failed' END,
  error = 'the database was restored: look at the partner before it goes on',
  cursor = CASE WHEN kind = 'schedule' THEN
    COALESCE(NULLIF(cursor, 'null'::jsonb), '{"selected": null, "troubles": {"count": 0, "lastDelayMs": 0}}'::jsonb)
      || jsonb_build_object('begunAt', $2::bigint) ELSE cursor END,
  finished_at = CASE WHEN state = 'paused' THEN finished_at ELSE $1::timestamptz END
WHERE state IN ('waiting', 'running', 'paused', 'failed')
  AND (kind = 'schedule' AND request->>'dryRun' IS DISTINCT FROM 'true'
    OR kind = 'provision' AND request->>'apply' = 'true')`,
};

async function lastFactAt(session: SqlSession): Promise<number> {
  const { rows } = await session.query<{ at: number | null }>(lastFactStatement);
  return rows[0]?.at ?? -Infinity;
}

/** What a person knows of a restore. Epoch ms. */
export interface GivenRestore {
  readonly recoveredFrom: number;
  /** No process worked on the lost database after this; null: perhaps until now. */
  readonly lostUntil: number | null;
}

function refuseImpossible({ recoveredFrom, lostUntil }: GivenRestore, now: number): void {
  const from = new Date(recoveredFrom).toISOString();
  if (recoveredFrom > now) throw new RecoveryRefusedError(`--recovered-from: ${from} has not come yet`);
  if (lostUntil === null) return;
  const until = new Date(lostUntil).toISOString();
  if (lostUntil > now) throw new RecoveryRefusedError(`--lost-until: ${until} has not come yet`);
  if (lostUntil < recoveredFrom) {
    throw new RecoveryRefusedError(`--lost-until: ${until} is before --recovered-from, ${from}`);
  }
}

/** Told again without an end, or with the same one, it stands as it was begun. */
function refuseOtherEnd({ producedUntil }: Recovery, lostUntil: number | null): void {
  if (lostUntil === null || lostUntil + producedMarginMs === producedUntil) return;
  const begun = new Date(producedUntil - producedMarginMs).toISOString();
  throw new RecoveryRefusedError(
    `--lost-until: this recovery has begun with ${begun}. Leave the flag out, or see docs/restore.md, Another end`,
  );
}

async function refuseUnlikely(session: SqlSession, recoveredFrom: number): Promise<void> {
  const told = new Date(recoveredFrom).toISOString();
  const last = await lastFactAt(session);
  if (last <= recoveredFrom + restoredMarginMs) return;
  throw new RecoveryRefusedError(
    `--recovered-from: this database knows what happened at ${new Date(last).toISOString()}, so it was not restored to ${told}. ` +
      'Work has begun on it without the flag, or the moment is another one: see docs/restore.md',
  );
}

/** A recovery, and what telling it has done. */
interface BegunRecovery extends Recovery {
  readonly isNew: boolean;
  /** It began before, and work has gone on since: should the database have been restored again, this protects nothing. */
  readonly isOld: boolean;
}

/**
 * Marks the database as restored to a moment, for every process and every later start; must be done before anything is
 * claimed. Told the same moment again it changes nothing, so that a process may keep the flag.
 * @throws {RecoveryRefusedError}
 */
export async function beginRecovery(
  database: Database,
  { recoveredFrom, lostUntil, now }: GivenRestore & { readonly now: number },
): Promise<BegunRecovery> {
  return database.transaction('begin recovery', async (session) => {
    await session.query(lockStatement);
    const { rows } = await session.query<Recovery>(findStatement, [timestamp(recoveredFrom)]);
    const [known] = rows;
    if (known !== undefined) refuseOtherEnd(known, lostUntil);
    if (known !== undefined) return { ...known, isNew: false, isOld: (await lastFactAt(session)) > known.startedAt };
    refuseImpossible({ recoveredFrom, lostUntil }, now);
    await refuseUnlikely(session, recoveredFrom);
    const producedUntil = (lostUntil ?? now) + producedMarginMs;
    await session.query(insertStatement, [recoveredFrom, now, producedUntil].map(timestamp));
    await session.query(skipIdsStatement);
    await session.query(endLeasesStatement, [timestamp(now)]);
    await session.query(endJobsStatement, [timestamp(now), now]);
    return { recoveredFrom, startedAt: now, producedUntil, isNew: true, isOld: false };
  });
}

/** The last recovery, and what is left of it. */
export interface RecoveryStatus extends Recovery {
  /** Intents that a lost history may have sent and whose evidence is still looked for. */
  readonly open: number;
  /** Those for which there is none: a person must say what became of them. */
  readonly undecided: number;
}

const findRecoveryStatement: SqlStatement = {
  name: 'find_recovery',
  text: `
SELECT recovered_from AS "recoveredFrom", started_at AS "startedAt", produced_until AS "producedUntil",
  (SELECT count(*) FROM intent_standing WHERE status = 'unknown' AND code = '${forgottenCode}') AS open,
  (SELECT count(*) FROM intent_standing WHERE status = 'parked' AND code = '${forgottenCode}') AS undecided
FROM recovery ORDER BY started_at DESC LIMIT 1`,
};

/** How the last recovery stands; null where there never was one. */
export async function findRecovery(database: Database): Promise<RecoveryStatus | null> {
  const { rows } = await database.execute<RecoveryStatus>(findRecoveryStatement);
  return rows[0] ?? null;
}

/**
 * SQL: start of the last recovery before which a lost history may have sent the intent (docs/restore.md); NULL: there is
 * none. Where nothing was ever restored the rows are not looked at one by one; a function would not be inlined.
 * @param intent name of the row of `intent`
 */
export function forgottenBefore(intent: string): string {
  return `CASE WHEN EXISTS (SELECT FROM recovery) THEN (SELECT max(r.started_at) FROM recovery r
    WHERE ${intent}.recorded_at < r.started_at OR ${intent}.broker_at < r.produced_until) END`;
}
