import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import type { StatementCost } from '../infrastructure/statement-costs.js';

/** What a round took of the database server. */
export interface ServerUsage {
  /** Bytes of write-ahead log. */
  readonly walBytes: number;
  /** Processor time; null where the server runs elsewhere. */
  readonly serverCpuSeconds: number | null;
  /** None unless the run is profiled. */
  readonly statementCosts: readonly StatementCost[];
}

const difference = (before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : after - before;

/**
 * Begins to measure.
 * @param followed the database whose statements count, or null
 * @returns ends it
 */
export const meterServer = async (
  postgres: BenchPostgres,
  followed: string | null,
): Promise<() => Promise<ServerUsage>> => {
  if (followed !== null) await postgres.followStatements();
  const wal = await postgres.walBytes();
  const cpu = await postgres.cpuSeconds();
  return async () => ({
    walBytes: (await postgres.walBytes()) - wal,
    serverCpuSeconds: difference(cpu, await postgres.cpuSeconds()),
    statementCosts: followed === null ? [] : await postgres.statementCosts(followed),
  });
};
