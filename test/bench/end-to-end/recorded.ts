import { waitUntil } from '#embedded';

import { runSql } from '../infrastructure/bench-postgres.js';
import type { DaemonLoad } from '../infrastructure/daemon-load.js';
import { awaitAll, used } from '../infrastructure/daemon-load.js';
import { runOpenLoop } from '../infrastructure/load.js';

/** As often as a Prometheus asks that is in a hurry. */
const scrapeIntervalMs = 5_000;
const pollIntervalMs = 200;

/** What a rate cost, and how late answers were recorded. */
export interface RecordedRate {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of one event, milliseconds. */
  readonly daemonCpuMs: number;
  readonly postgresCpuMs: number;
  /** Of Postgres, for one event. */
  readonly transactions: number;
}

/** From the time of the record until the commit of its answer. */
const recordedSql = `
SELECT count(*)::int AS count, percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY
  extract(epoch FROM pg_xact_commit_timestamp(e.xid::xid) - i.broker_at)::float8 * 1000) AS ms
FROM intent i JOIN intent_event e USING (lane_id, seq)
WHERE e.type = 'AttemptApplied' AND i.recorded_at >= $1 AND i.broker_at >= $1`;

interface RecordedRow {
  readonly count: number;
  readonly ms: readonly [number, number] | null;
}

const scrape = (operations: string): (() => void) => {
  const timer = setInterval(() => {
    void fetch(`${operations}/metrics`).then(
      (answer) => answer.text(),
      () => undefined,
    );
  }, scrapeIntervalMs);
  return () => clearInterval(timer);
};

/** Sends so many a second for so long, and waits until all their answers are recorded. */
export const measureRecorded = async (load: DaemonLoad, rate: number, seconds: number): Promise<RecordedRate> => {
  const endScrapes = load.daemons.map(({ operations }) => scrape(operations));
  const before = await used(load);
  const loop = await runOpenLoop(load.feeder, { rate, seconds });
  await awaitAll(load);
  const after = await used(load);
  for (const end of endScrapes) end();
  await load.stub.arrivals();
  const from = new Date(Math.floor(loop.from)).toISOString();
  const found: { row: RecordedRow | undefined } = { row: undefined };
  const areRecorded = async (): Promise<boolean> => {
    [found.row] = await runSql<RecordedRow>(load.databaseUrl, recordedSql, [from]);
    return found.row?.count === loop.count;
  };
  const waiting = { what: `${loop.count} answers`, timeoutMs: load.secondsMax * 1_000, intervalMs: pollIntervalMs };
  await waitUntil(areRecorded, waiting).catch((cause: unknown) => {
    throw new Error(`only ${found.row?.count ?? 0} of ${loop.count} answers are recorded`, { cause });
  });
  const [daemonCpuMs = NaN, postgresCpuMs = NaN, transactions = NaN] = after.map(
    (value, index) => (value - (before[index] ?? NaN)) / loop.count,
  );
  const [p50Ms, p99Ms] = found.row?.ms ?? [NaN, NaN];
  return { rate, p50Ms, p99Ms, daemonCpuMs, postgresCpuMs, transactions };
};
