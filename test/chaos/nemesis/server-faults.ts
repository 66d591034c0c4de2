import { setTimeout as delay } from 'node:timers/promises';

import type { ChaosHouse } from '../installation/chaos-house.js';
import { runSql } from '../verdict/run-sql.js';
import type { Fault, Heal } from './fault.js';

const terminateEveryMs = 400;

/** Ends every backend that serves a daemon, again and again. */
function terminateBackends({ postgres }: ChaosHouse): Heal {
  const stop = new AbortController();
  const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const work = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await runSql(postgres.url, text).catch(() => undefined);
      await delay(terminateEveryMs);
    }
  })();
  return async () => {
    stop.abort();
    await work;
  };
}

export const serverFaults: readonly Fault[] = [
  {
    kind: 'postgres-kill',
    seat: 'postgres',
    lastsMs: [300, 4_000],
    begin: async ({ postgres }: ChaosHouse): Promise<Heal> => {
      await postgres.kill();
      return () => postgres.start();
    },
  },
  {
    kind: 'postgres-restart',
    seat: 'postgres',
    lastsMs: [100, 2_000],
    begin: async ({ postgres }: ChaosHouse): Promise<Heal> => {
      await postgres.stop();
      return () => postgres.start();
    },
  },
  {
    kind: 'postgres-backends-terminated',
    seat: 'postgres',
    lastsMs: [1_500, 4_000],
    begin: async (house: ChaosHouse): Promise<Heal> => terminateBackends(house),
  },
  {
    kind: 'broker-kill',
    seat: 'kafka',
    lastsMs: [300, 5_000],
    needsRealKafka: true,
    begin: async ({ broker }: ChaosHouse): Promise<Heal> => {
      await broker.real?.kill();
      return async () => broker.real?.start();
    },
  },
  {
    kind: 'broker-restart',
    seat: 'kafka',
    lastsMs: [100, 2_000],
    needsRealKafka: true,
    begin: async ({ broker }: ChaosHouse): Promise<Heal> => {
      await broker.real?.stop();
      return async () => broker.real?.start();
    },
  },
];
