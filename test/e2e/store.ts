import { waitUntil } from '#embedded';
import { dayMs, maintain } from '#intents';
import { createDataSource, TypeormDatabase } from '#platform';
import type { TestDatabase } from '#test-support';
import { queryOnce } from '#test-support';

/** How every recorded intent stands, told from the truth tables alone. */
export interface IntentStatusRow {
  readonly memberId: string;
  readonly seq: number;
  readonly operation: string;
  readonly purchaseId: string | null;
  readonly lastEvent: string | null;
  readonly parkedReason: string | null;
}

/** Every intent with its last event. */
export async function readIntentStatuses(url: string): Promise<IntentStatusRow[]> {
  return queryOnce<IntentStatusRow>(
    url,
    `SELECT m.member_id AS "memberId", i.seq, i.operation, i.purchase_id AS "purchaseId", e.type AS "lastEvent",
       e.data->>'reason' AS "parkedReason"
     FROM intent i JOIN member m USING (lane_id)
     LEFT JOIN LATERAL (SELECT type, data FROM intent_history e WHERE e.lane_id = i.lane_id AND e.seq = i.seq
       AND e.type <> 'LateOutcome' ORDER BY version DESC LIMIT 1) e ON true
     ORDER BY m.member_id, i.seq`,
  );
}

interface Progress {
  readonly intents: number;
  /** Lanes with something due, leased or waiting. */
  readonly moving: number;
}

export async function readProgress(url: string): Promise<Progress> {
  const rows = await queryOnce<{ intents: string; moving: string }>(
    url,
    `SELECT (SELECT count(*) FROM intent) AS intents, (SELECT count(*) FROM lane WHERE due_at IS NOT NULL) AS moving`,
  );
  return { intents: Number(rows[0]?.intents), moving: Number(rows[0]?.moving) };
}

/** Between two looks: each is a connection of its own, which takes of the processor that the daemons need. */
const pollMs = 100;
const restMsMax = 150_000;

/** Resolves when so many intents are recorded, and every lane is idle or blocked. */
export async function awaitRest(url: string, count: number): Promise<void> {
  const isAtRest = async (): Promise<boolean> => {
    const { intents, moving } = await readProgress(url);
    return intents === count && moving === 0;
  };
  await waitUntil(isAtRest, {
    what: `${count} intents to be recorded, and every lane to be idle or blocked`,
    timeoutMs: restMsMax,
    intervalMs: pollMs,
  });
}

/**
 * Nobody holds what a killed process held: lanes, jobs and the outcomes. Its leases would end by themselves, up
 * to a minute later, as those that `kill-in-the-middle` leaves alone do.
 */
export async function endLeases(url: string): Promise<void> {
  await queryOnce(url, 'UPDATE lane SET due_at = clock_timestamp() WHERE owner IS NOT NULL');
  for (const table of ['job', 'projection_checkpoint']) {
    await queryOnce(url, `UPDATE ${table} SET leased_until = clock_timestamp() WHERE owner IS NOT NULL`);
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function inServer(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Everybody who is connected is thrown out: a copy can be made of nothing else. @returns where the copy is */
export async function copyDatabase({ url, ownerUrl, adminUrl }: TestDatabase): Promise<string> {
  const name = nameOf(url);
  const copy = `${name}_copy`;
  const admin = inServer(adminUrl, 'postgres');
  await queryOnce(admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await queryOnce(admin, `CREATE DATABASE "${copy}" TEMPLATE "${name}" OWNER "${new URL(ownerUrl).username}"`);
  return inServer(url, copy);
}

/** Loses a database, whoever works on it. @param url by its owner */
export async function dropDatabase(url: string): Promise<void> {
  await queryOnce(inServer(url, 'postgres'), `DROP DATABASE IF EXISTS "${nameOf(url)}" WITH (FORCE)`);
}

/**
 * Resolves when every replica has told the others of itself so often from now on. It hears of pauses with each report: of two
 * one at least has begun after this.
 */
export async function awaitReports(url: string, times = 2): Promise<void> {
  const seen = new Map<string, Set<string>>();
  const haveTold = async (): Promise<boolean> => {
    const text = 'SELECT replica_id AS id, heartbeat_at::text AS at FROM replica';
    for (const { id, at } of await queryOnce<{ id: string; at: string }>(url, text)) {
      seen.set(id, (seen.get(id) ?? new Set()).add(at));
    }
    return seen.size > 0 && [...seen.values()].every(({ size }) => size > times);
  };
  await waitUntil(haveTold, { what: `${times} reports of each replica`, timeoutMs: restMsMax, intervalMs: pollMs });
}

/** The database as a command of its owner has it. */
export async function asOwner<T>(
  { ownerUrl }: TestDatabase,
  use: (database: TypeormDatabase) => Promise<T>,
): Promise<T> {
  const settings = { poolSize: 2, ssl: false as const, applicationName: 'owner', migrations: [] };
  const source = createDataSource({ url: ownerUrl, ...settings, onPoolError: () => undefined });
  await source.initialize();
  try {
    return await use(new TypeormDatabase(source));
  } finally {
    await source.destroy();
  }
}

const keptDays = {
  intentDays: 100,
  dedupDays: 400,
  quarantineDays: 0,
  unmappedDays: 30,
  jobDays: 0,
  auditDays: 0,
  erasedDays: 0,
  hasDeadLetters: true,
};

/** What is settled leaves the database, as in half a year. @returns how many intents */
export async function retireSettled(test: TestDatabase): Promise<number> {
  const clock = { now: () => Date.now() + 200 * dayMs };
  return asOwner(test, async (database) => (await maintain({ database, clock }, keptDays)).intents);
}
