import type { Registry } from 'prom-client';

import type { DatabaseFigures } from './read-database-figures.js';
import type { ToldGauge } from './told-gauges.js';
import { plain, registerToldGauges, secondsBetween } from './told-gauges.js';

const serverGauges: readonly ToldGauge<DatabaseFigures>[] = [
  {
    name: 'loyaltyd_database_horizon_seconds',
    help: 'How long the oldest open transaction has kept dead rows from being cleaned up',
    labelNames: [],
    samples: ({ oldestTransactionMs }) => plain(oldestTransactionMs / 1_000),
  },
  {
    name: 'loyaltyd_database_bytes',
    help: 'Size of the database',
    labelNames: [],
    samples: ({ size }) => plain(size.databaseBytes),
  },
  {
    name: 'loyaltyd_database_disk_bytes',
    help: 'Size of the disk that the server keeps its data on; absent where it cannot be seen from here',
    labelNames: [],
    samples: ({ disk }) => (disk === null ? [] : plain(disk.allBytes)),
  },
  {
    name: 'loyaltyd_database_disk_free_bytes',
    help: 'What is free of it',
    labelNames: [],
    samples: ({ disk }) => (disk === null ? [] : plain(disk.freeBytes)),
  },
  {
    name: 'loyaltyd_database_wal_held_bytes',
    help: 'WAL kept for the replication slot that is furthest behind',
    labelNames: [],
    samples: ({ walHeldBytes }) => plain(walHeldBytes),
  },
  {
    name: 'loyaltyd_database_connections',
    help: 'Connections to the server, of all its users',
    labelNames: [],
    samples: ({ connections }) => plain(connections.used),
  },
  {
    name: 'loyaltyd_database_connections_max',
    help: 'Connections that the server lets in, without those that it reserves',
    labelNames: [],
    samples: ({ connections: { allowed, reserved } }) => plain(allowed - reserved),
  },
  {
    name: 'loyaltyd_database_transaction_age',
    help: 'Transactions since the oldest one that is not frozen; at two billion Postgres stops',
    labelNames: [],
    samples: ({ size }) => plain(size.oldestTransactionAge),
  },
];

const contentGauges: readonly ToldGauge<DatabaseFigures>[] = [
  {
    name: 'loyaltyd_stray_events',
    help: 'Events in the default partition, because those made ahead were full; counted up to 100000',
    labelNames: [],
    samples: ({ strayEvents }) => plain(strayEvents),
  },
  {
    name: 'loyaltyd_source_gaps_open',
    help: 'Partitions that stand still because their topic lost records that were not consumed yet',
    labelNames: [],
    samples: ({ gaps }) => plain(gaps),
  },
  {
    name: 'loyaltyd_oldest_unknown_seconds',
    help: 'How long evidence has been looked for, for the oldest unknown outcome; absent: there is none',
    labelNames: ['program'],
    samples: ({ at, oldestUnknown }) =>
      oldestUnknown.map(({ program, since }) => ({ labels: { program }, value: secondsBetween(since, at) })),
  },
];

/** @param latest null while nothing recent is known */
export function registerDatabaseMetrics(registry: Registry, latest: () => DatabaseFigures | null): void {
  registerToldGauges(registry, [...serverGauges, ...contentGauges], latest);
}
