import type { DatabaseEnvironment } from '#contracts';
import { countStrayEvents } from '#intents';
import type { Clock, Database, DatabaseClockReading, PostgresConnection } from '#platform';
import {
  freeSpace,
  inspectServer,
  inspectSettings,
  inspectSize,
  listBrokenObjects,
  listLongTransactions,
  listReplicationSlots,
  readDatabaseClock,
  readOnlyDatabase,
} from '#platform';

import { judgeSkew } from '../clock-skew.js';
import type { CheckPlan, Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { readMs } from '../limits.js';
import { judgeTransactions, judgeSlots, longTransactionMs } from './check-horizon.js';
import { judgeObjects } from './check-objects.js';
import { judgeServer } from './check-server.js';
import { judgeSettings, settingNames } from './check-settings.js';
import type { Store } from './check-schema.js';
import { judgeSize } from './check-size.js';

const slowRemedy = 'Postgres answers slowly: see pg_stat_activity for locks and long queries, and the machine’s load.';

function plan(name: string): CheckPlan {
  return { name, timeoutMs: readMs, remedy: slowRemedy };
}

interface Look {
  readonly name: string;
  readonly look: (database: Database) => Promise<readonly Finding[]>;
}

function looks({ url }: DatabaseEnvironment): readonly Look[] {
  const host = new URL(url.value).hostname;
  return [
    { name: 'postgres.version', look: async (database) => judgeServer(await inspectServer(database)) },
    {
      name: 'postgres.settings',
      look: async (database) => judgeSettings(await inspectSettings(database, settingNames)),
    },
    {
      name: 'postgres.transactions',
      look: async (database) => judgeTransactions(await listLongTransactions(database, longTransactionMs)),
    },
    { name: 'postgres.slots', look: async (database) => judgeSlots(await listReplicationSlots(database)) },
    {
      name: 'postgres.disk',
      look: async (database) => {
        const size = await inspectSize(database);
        return judgeSize(size, await freeSpace(host, size));
      },
    },
  ];
}

function skewOf(clock: Clock, { databaseMs, readAt, roundTripMs }: DatabaseClockReading): Finding {
  const ours = clock.now() - (clock.monotonic() - readAt);
  return judgeSkew('clock.postgres', 'Postgres', { behindMs: databaseMs - ours, uncertaintyMs: roundTripMs / 2 });
}

/** The server itself, whatever is in it. */
export function examineServer(
  examination: Examination,
  connection: Step<PostgresConnection>,
  { settings, clock }: { readonly settings: DatabaseEnvironment; readonly clock: Clock },
): void {
  for (const { name, look } of looks(settings)) {
    examination.after(connection, plan(name), async ({ database }) => ({
      findings: await look(readOnlyDatabase(database)),
      value: null,
    }));
  }
  // Not within a transaction: its round trips would count.
  examination.after(connection, plan('clock.postgres'), async ({ database }) => ({
    findings: [skewOf(clock, await readDatabaseClock(clock, database))],
    value: null,
  }));
}

/** Indexes, triggers and partitions of the schema. */
export function examineObjects(examination: Examination, store: Step<Store>): void {
  examination.after(store, plan('postgres.objects'), async ({ database }) => {
    const [broken, stray] = await Promise.all([listBrokenObjects(database), countStrayEvents(database)]);
    return { findings: judgeObjects(broken, stray), value: null };
  });
}
