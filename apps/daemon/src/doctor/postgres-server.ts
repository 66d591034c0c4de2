import type { DatabaseEnvironment } from '#contracts';
import type {
  Clock,
  Database,
  FreeSpace,
  InspectedServer,
  InspectedSize,
  LongTransaction,
  PostgresConnection,
  ReplicationSlot,
} from '#platform';
import {
  freeSpace,
  inspectServer,
  inspectSettings,
  inspectSize,
  listLongTransactions,
  listReplicationSlots,
  readDatabaseClock,
  readOnlyDatabase,
} from '#platform';

import { judgeDatabaseClock } from './clocks.js';
import type { Examination, Step } from './examination.js';
import type { Finding } from './finding.js';
import { bytesText, durationText, failed, ok, skipped, troublesOr, warning } from './finding.js';
import { serverPlan } from './postgres.js';

const versionName = 'postgres.version';
const primaryName = 'postgres.primary';
/** Supported: 15 to 18. */
const oldestMajor = 15;
const newestMajor = 18;

function judgeVersion({ versionNumber, version }: InspectedServer): Finding {
  const major = Math.floor(versionNumber / 10_000);
  if (major < oldestMajor) {
    const detail = `${version}: older than ${oldestMajor}`;
    return failed(versionName, { detail, remedy: `Upgrade Postgres: ${oldestMajor} to ${newestMajor} are supported.` });
  }
  if (major > newestMajor) {
    const detail = `${version}: newer than ${newestMajor}, with which we have not been tried`;
    return warning(versionName, { detail, remedy: 'Look for a newer release of loyaltyd.' });
  }
  return ok(versionName, version);
}

function judgePrimary({ isStandby, isReadOnly }: InspectedServer): Finding {
  if (isStandby) {
    const remedy = 'DATABASE_URL must lead to the primary. After a failover: does the name still lead to the old one?';
    return failed(primaryName, { detail: 'this is a standby: nothing can be written', remedy });
  }
  if (isReadOnly) {
    const remedy =
      'Find who set default_transaction_read_only (postgresql.conf, ALTER DATABASE, ALTER ROLE): a managed service does so ' +
      'when its disk is full.';
    return failed(primaryName, { detail: 'default_transaction_read_only is on: nothing can be written', remedy });
  }
  return ok(primaryName, 'it takes writes');
}

/** A version that we support, and a server that takes writes. */
export function judgeServer(server: InspectedServer): readonly Finding[] {
  return [judgeVersion(server), judgePrimary(server)];
}

const settingsName = 'postgres.settings';

interface Rule {
  readonly setting: string;
  readonly state: 'failed' | 'warning';
  readonly isWell: (value: string) => boolean;
  /** What follows from it. */
  readonly why: string;
  readonly wanted: string;
}

const is =
  (...wanted: readonly string[]) =>
  (value: string): boolean =>
    wanted.includes(value);

const blockBytes = 8_192;
/** The default of Postgres, meant for the smallest machines. */
const sharedBuffersBytesMin = 128 * 1024 ** 2;

const settingRules: readonly Rule[] = [
  {
    setting: 'fsync',
    state: 'failed',
    isWell: is('on'),
    why: 'a crash of the machine destroys the database',
    wanted: 'fsync=on',
  },
  {
    setting: 'full_page_writes',
    state: 'failed',
    isWell: is('on'),
    why: 'a crash in the middle of a write destroys pages',
    wanted: 'full_page_writes=on',
  },
  {
    setting: 'synchronous_commit',
    state: 'failed',
    isWell: is('on', 'local', 'remote_write', 'remote_apply'),
    why: 'a crash forgets what was sent last, and it is sent again',
    wanted: 'synchronous_commit=on',
  },
  {
    setting: 'zero_damaged_pages',
    state: 'failed',
    isWell: is('off'),
    why: 'damaged pages are silently emptied',
    wanted: 'zero_damaged_pages=off',
  },
  {
    setting: 'default_transaction_isolation',
    state: 'failed',
    isWell: is('read committed'),
    why: 'claims and group commits rest on READ COMMITTED',
    wanted: "default_transaction_isolation='read committed'",
  },
  {
    setting: 'session_replication_role',
    state: 'failed',
    isWell: is('origin', 'local'),
    why: 'our triggers do not fire: truth tables are not protected, standings are not kept',
    wanted: 'session_replication_role=origin',
  },
  {
    setting: 'autovacuum',
    state: 'failed',
    isWell: is('on'),
    why: 'dead rows of the lane table pile up, and claims take ever longer',
    wanted: 'autovacuum=on',
  },
  {
    setting: 'track_counts',
    state: 'failed',
    isWell: is('on'),
    why: 'autovacuum does not see what there is to do',
    wanted: 'track_counts=on',
  },
  {
    setting: 'track_activities',
    state: 'warning',
    isWell: is('on'),
    why: 'nobody can see who holds back the cleaning of rows',
    wanted: 'track_activities=on',
  },
  {
    setting: 'shared_buffers',
    state: 'warning',
    isWell: (value) => Number(value) * blockBytes >= sharedBuffersBytesMin,
    why: 'it is below 128 MB, the default for the smallest machines',
    wanted: 'shared_buffers to a quarter of the memory (it takes a restart)',
  },
];

/** Shown, not judged. */
const settingsShown = ['synchronous_standby_names', 'track_commit_timestamp', 'shared_memory_type'];

/** The settings to be looked at. */
export const settingNames: readonly string[] = [...settingRules.map(({ setting }) => setting), ...settingsShown];

function settingTrouble({ setting, state, why, wanted }: Rule, value: string): Finding {
  const trouble = {
    detail: `${setting}=${value}: ${why}`,
    remedy: `Set ${wanted} where it comes from: postgresql.conf or ALTER SYSTEM, then SELECT pg_reload_conf(); or ALTER DATABASE, ALTER ROLE.`,
  };
  return (state === 'failed' ? failed : warning)(`${settingsName}.${setting}`, trouble);
}

/** `local` is as safe as `on` only where no standby is waited for. */
function judgeStandbys(values: ReadonlyMap<string, string>): readonly Finding[] {
  const commit = values.get('synchronous_commit') ?? 'on';
  const standbys = values.get('synchronous_standby_names') ?? '';
  if (standbys === '' || commit !== 'local') return [];
  return [
    warning(`${settingsName}.synchronous_standby_names`, {
      detail: 'there are synchronous standbys, and synchronous_commit=local does not wait for them',
      remedy: 'After a failover what they lack is sent again: set synchronous_commit=on, or do without them knowingly.',
    }),
  ];
}

/** The settings on which our promises rest, as our own connections have them. */
export function judgeSettings(values: ReadonlyMap<string, string>): readonly Finding[] {
  const troubles = settingRules.flatMap((rule) => {
    const value = values.get(rule.setting);
    return value === undefined || rule.isWell(value) ? [] : [settingTrouble(rule, value)];
  });
  const shown = [...values].map(([setting, value]) => `${setting}=${value === '' ? "''" : value}`);
  return troublesOr([...troubles, ...judgeStandbys(values)], ok(settingsName, shown.toSorted().join(', ')));
}

const transactionsName = 'postgres.transactions';
const slotsName = 'postgres.slots';
/** Ours are cut after 30 s per statement and 60 s of idling. */
const longTransactionMs = 120_000;
const endlessTransactionMs = 3_600_000;
const heldBytesMax = 1024 ** 3;
const heldBytesAlarming = 50 * 1024 ** 3;

function transactionTrouble({ name, application, state, openForMs }: LongTransaction): Finding {
  const who = application === '' ? '' : ` of ${application}`;
  const detail = `${name}${who} (${state}) has been open for ${durationText(openForMs)}: dead rows of lanes cannot be cleaned up, claims slow down`;
  const pid = /^pid (\d+)$/.exec(name)?.[1];
  const remedy =
    pid === undefined
      ? 'Whoever prepared it must end it: COMMIT PREPARED or ROLLBACK PREPARED.'
      : `A dump or a forgotten session? Ask its owner, or end it: SELECT pg_terminate_backend(${pid}).`;
  return (openForMs >= endlessTransactionMs ? failed : warning)(transactionsName, { detail, remedy });
}

/** Transactions that keep dead rows from being cleaned up. */
export function judgeTransactions(transactions: readonly LongTransaction[]): readonly Finding[] {
  const well = `none has been open for more than ${durationText(longTransactionMs)}`;
  return troublesOr(transactions.map(transactionTrouble), ok(transactionsName, well));
}

function isTroubling({ isActive, walStatus, holdsRows, heldBytes }: ReplicationSlot): boolean {
  if (walStatus === 'lost' || walStatus === 'unreserved') return true;
  return (heldBytes ?? 0) >= heldBytesMax || (holdsRows && !isActive);
}

function slotText({ name, isActive, walStatus, holdsRows, heldBytes }: ReplicationSlot): string {
  const reader = isActive ? 'active' : 'nobody reads it';
  const rows = holdsRows ? ' and dead rows' : '';
  return `slot ${name} (${reader}, WAL ${walStatus ?? 'none'}) holds ${bytesText(heldBytes ?? 0)} of WAL${rows}`;
}

function slotTrouble(slot: ReplicationSlot): Finding {
  const remedy =
    `It fills the disk until its reader comes back. If nobody does: SELECT pg_drop_replication_slot('${slot.name}'). ` +
    'A limit: max_slot_wal_keep_size.';
  const isAlarming = (slot.heldBytes ?? 0) >= heldBytesAlarming;
  return (isAlarming ? failed : warning)(slotsName, { detail: slotText(slot), remedy });
}

/** Replication slots that fill the disk. */
export function judgeSlots(slots: readonly ReplicationSlot[]): readonly Finding[] {
  const well =
    slots.length === 0 ? 'there are none' : `${slots.length}, none holds back more than ${bytesText(heldBytesMax)}`;
  return troublesOr(slots.filter(isTroubling).map(slotTrouble), ok(slotsName, well));
}

const diskName = 'postgres.disk';
const wraparoundName = 'postgres.transaction-ids';

/** Autovacuum begins to fight against it at 200 million; at two billion the server stops. */
const oldestAgeMax = 500_000_000;
const oldestAgeAlarming = 1_500_000_000;

const freeShareMin = 0.15;
const freeShareAlarming = 0.05;

function judgeDisk({ databaseBytes }: InspectedSize, space: FreeSpace | null): Finding {
  const size = `the database takes ${bytesText(databaseBytes)}`;
  if (space === null) {
    return skipped(diskName, `${size}; what is free cannot be read from here: watch the server’s disk`);
  }
  const share = space.freeBytes / space.allBytes;
  const detail = `${size}; ${bytesText(space.freeBytes)} free (${Math.round(share * 100)} %)`;
  if (share >= freeShareMin) return ok(diskName, detail);
  const remedy =
    'Make room: what fills it (slots, WAL, logs, other databases)? When it is full, Postgres stops, and so does everything here.';
  return (share < freeShareAlarming ? failed : warning)(diskName, { detail, remedy });
}

function judgeAge({ oldestTransactionAge: age }: InspectedSize): Finding {
  const detail = `the oldest row not frozen is ${Math.round(age / 1_000_000)} million transactions old`;
  if (age < oldestAgeMax) return ok(wraparoundName, detail);
  const remedy =
    'Vacuum does not keep up, or something holds it back (long transactions, slots): mend that, then VACUUM FREEZE.';
  return (age >= oldestAgeAlarming ? failed : warning)(wraparoundName, { detail, remedy });
}

/** Room on the disk, and transaction ids that are left. */
export function judgeSize(size: InspectedSize, space: FreeSpace | null): readonly Finding[] {
  return [judgeDisk(size, space), judgeAge(size)];
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

/** The server itself, whatever is in it. */
export function examineServer(
  examination: Examination,
  connection: Step<PostgresConnection>,
  { settings, clock }: { readonly settings: DatabaseEnvironment; readonly clock: Clock },
): void {
  for (const { name, look } of looks(settings)) {
    examination.after(connection, serverPlan(name), async ({ database }) => ({
      findings: await look(readOnlyDatabase(database)),
      value: null,
    }));
  }
  // Not within a transaction: its round trips would count.
  examination.after(connection, serverPlan('clock.postgres'), async ({ database }) => ({
    findings: [judgeDatabaseClock(clock, await readDatabaseClock(clock, database))],
    value: null,
  }));
}
