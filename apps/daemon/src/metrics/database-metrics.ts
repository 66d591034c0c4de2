import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import { NOTICE_CHANNELS, ROLES } from '#contracts';
import { isMemberFactor } from '#intents/core';
import { lastMaintenance, listGaps } from '#intents';
import type { OldestUnknown, Stats, Undelivered } from '#operations';
import { countsByStatus, NoticeRepository, StatusRepository } from '#operations';
import type { Clock, Database, FreeSpace, InspectedConnections, InspectedSize } from '#platform';
import { freeSpace, inspectConnections, inspectSize, listLongTransactions, listReplicationSlots } from '#platform';

import { closedLabel, currencyLabel, labelSets } from './label-sets.js';

/** A value with its labels. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge whose values all come out of one reading. */
interface ReadGauge<Reading> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Values with the same labels are added up. */
  readonly samples: (reading: Reading) => readonly Sample[];
}

/** The only value of a gauge without labels. */
function plain(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

const secondMs = 1_000;

/** 0 where there is nothing since when. Times in epoch ms. */
function secondsBetween(earlier: number | null, later: number): number {
  return earlier === null ? 0 : Math.max(0, later - earlier) / secondMs;
}

/**
 * Gauges that are read when they are scraped.
 * @param read null where it cannot be read in time: then they are absent, and the rest of the scrape does not fail for it
 */
function registerReadGauges<Reading>(
  registry: Registry,
  gauges: readonly ReadGauge<Reading>[],
  read: () => Promise<Reading | null> | Reading | null,
): void {
  for (const { name, help, labelNames, samples } of gauges) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const reading = await read();
        this.reset();
        // A gauge without labels is 0 after a reset: that would be a lie.
        this.remove({});
        for (const { labels, value } of reading === null ? [] : samples(reading)) this.inc(labels, value);
      },
    });
  }
}

/** The value of a label for a pause of every program, of every operation, or of all calls of one. */
const everyLabel = 'all';

const intentGauges: readonly ReadGauge<Stats>[] = [
  {
    name: 'loyaltyd_intents',
    help: 'Intents in the database by status; every process with the operations role tells the same',
    labelNames: ['program', 'status', 'operation'],
    samples: ({ overview }) => countsByStatus(overview).map(({ intents: value, ...labels }) => ({ labels, value })),
  },
  {
    name: 'loyaltyd_oldest_pending_seconds',
    help: 'Age of what has been pending for longest; 0: nothing is',
    labelNames: ['program'],
    samples: ({ overview: { at, intents, oldestPending } }) => {
      const since = new Map(oldestPending.map(({ program, recordedAt }) => [program, recordedAt]));
      const programs = [...new Set(intents.map(({ program }) => program))];
      return programs.map((program) => ({
        labels: { program },
        value: secondsBetween(since.get(program) ?? null, at),
      }));
    },
  },
  {
    name: 'loyaltyd_value_at_risk_minor',
    help: 'Money in what is parked, unknown, waiting or held up: in units of which 10^digits are one of the currency',
    labelNames: ['program', 'currency', 'digits'],
    samples: ({ overview }) =>
      overview.valueAtRisk.map(({ program, currency, digits, minor: value }) => {
        return { labels: { program, currency: currencyLabel(currency), digits: String(digits) }, value };
      }),
  },
  {
    name: 'loyaltyd_blocked_lanes',
    help: 'Members whose queue stands still until a person acts',
    labelNames: ['program'],
    samples: ({ overview }) =>
      overview.blockedLanes.map(({ program, lanes: value }) => ({ labels: { program }, value })),
  },
];

const installationGauges: readonly ReadGauge<Stats>[] = [
  {
    name: 'loyaltyd_projection_lag_seconds',
    help: 'Age of the first event that the counts of delivered and cancelled intents do not hold yet',
    labelNames: [],
    samples: ({ overview: { at, uncountedSince } }) => plain(secondsBetween(uncountedSince, at)),
  },
  {
    name: 'loyaltyd_quarantine_open',
    help: 'Records set aside that nobody has dealt with',
    labelNames: ['reason'],
    samples: ({ overview: { quarantine } }) => {
      const found = quarantine.map(({ reason, records: value }) => {
        return { labels: { reason: closedLabel(labelSets.reason, reason) }, value };
      });
      return [...labelSets.reason.map((reason) => ({ labels: { reason }, value: 0 })), ...found];
    },
  },
  {
    name: 'loyaltyd_processes',
    help: 'Processes that have reported within seconds, by role',
    labelNames: ['role'],
    samples: ({ overview: { processes } }) =>
      ROLES.map((role) => ({ labels: { role }, value: processes.filter(({ roles }) => roles.includes(role)).length })),
  },
];

type Pauses = Stats['overview']['pauses'];
type LabelledPause = Omit<Pauses[number], 'factor'> & { readonly factor: string | null };

/** Who is held stands in no metric: of each program's members the one that has been held for longest, without their id. */
function withoutNames(pauses: Pauses): readonly LabelledPause[] {
  const seen = new Set<string | null>();
  return pauses.flatMap((pause): LabelledPause[] => {
    const { program, factor = null } = pause;
    if (!isMemberFactor(factor)) return [{ ...pause, factor }];
    if (seen.has(program)) return [];
    seen.add(program);
    return [{ ...pause, factor: 'member' }];
  });
}

/** @param programLabel an operator may pause a program that no programs file names */
function pausesGauge(programLabel: (name: string) => string): ReadGauge<Stats> {
  return {
    name: 'loyaltyd_pause_seconds',
    help: 'For how long a pause has been in force; automatic: delivery set it, the partner fails nearly all such calls',
    labelNames: ['program', 'operation', 'factor', 'automatic'],
    samples: ({ overview: { at, pauses } }) =>
      withoutNames(pauses).map(({ program, operation, factor, automatic, since }) => ({
        labels: {
          program: program === null ? everyLabel : programLabel(program),
          operation: operation ?? everyLabel,
          factor: factor ?? everyLabel,
          automatic: String(automatic),
        },
        value: secondsBetween(since, at),
      })),
  };
}

/** What the installation's statistics say, read when it is scraped. */
export function registerStatsMetrics(
  registry: Registry,
  read: () => Promise<Stats | null>,
  programLabel: (name: string) => string,
): void {
  registerReadGauges(registry, [...intentGauges, ...installationGauges, pausesGauge(programLabel)], read);
}

/** How the database itself is, beyond what lies in it. */
export interface DatabaseFigures {
  /** Epoch ms. */
  readonly at: number;
  /** The transaction that has been open for longest: dead rows younger than it cannot be cleaned up. */
  readonly oldestTransactionMs: number;
  readonly size: InspectedSize;
  /** Null where the server's disk cannot be seen from here. */
  readonly disk: FreeSpace | null;
  readonly connections: InspectedConnections;
  /** WAL that the slot furthest behind keeps. */
  readonly walHeldBytes: number;
  /** Epoch ms. */
  readonly maintainedAt: number;
  /** Partitions that stand still because records were lost. */
  readonly gaps: number;
  readonly oldestUnknown: readonly OldestUnknown[];
  readonly undelivered: readonly Undelivered[];
}

/** Reads one after the other, each in milliseconds, so that it takes one connection. @throws {DatabaseError} */
export async function readDatabaseFigures(
  database: Database,
  { clock, host }: { readonly clock: Pick<Clock, 'now'>; readonly host: string },
): Promise<DatabaseFigures> {
  const at = clock.now();
  const transactions = await listLongTransactions(database, 0);
  const size = await inspectSize(database);
  const slots = await listReplicationSlots(database);
  return {
    at,
    oldestTransactionMs: Math.max(0, ...transactions.map(({ openForMs }) => openForMs)),
    size,
    disk: await freeSpace(host, size),
    connections: await inspectConnections(database),
    walHeldBytes: Math.max(0, ...slots.map(({ heldBytes }) => heldBytes ?? 0)),
    maintainedAt: await lastMaintenance(database),
    gaps: (await listGaps(database)).length,
    oldestUnknown: await new StatusRepository(database).findOldestUnknown(),
    undelivered: await new NoticeRepository(database).findUndelivered(),
  };
}

const serverGauges: readonly ReadGauge<DatabaseFigures>[] = [
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

const contentGauges: readonly ReadGauge<DatabaseFigures>[] = [
  {
    name: 'loyaltyd_maintenance_age_seconds',
    help: 'How long ago `loyaltyd maintain` was last carried out whole; before the first time, how old the database is',
    labelNames: [],
    samples: ({ at, maintainedAt }) => plain(Math.max(0, at - maintainedAt) / 1_000),
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
  {
    name: 'loyaltyd_notices_undelivered',
    help: 'Notices and trials that a channel has not taken since it last took one',
    labelNames: ['channel'],
    samples: ({ undelivered }) => {
      const counts = new Map(undelivered.map(({ channel, notices }) => [channel, notices]));
      return NOTICE_CHANNELS.map((channel) => ({ labels: { channel }, value: counts.get(channel) ?? 0 }));
    },
  },
];

/** @param latest null while nothing recent is known */
export function registerDatabaseMetrics(registry: Registry, latest: () => DatabaseFigures | null): void {
  registerReadGauges(registry, [...serverGauges, ...contentGauges], latest);
}
