import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '#embedded';
import { Chance } from '#shop';
import { createTopics, queryOnce, throughProxy } from '#test-support';

import type { Broker } from '../installation/broker.js';
import { startBroker } from '../installation/broker.js';
import { daemonEnvironment, migrate, partitions } from '../installation/chaos-harness.js';
import { ChaosPostgres } from '../installation/chaos-postgres.js';
import { DaemonSlot } from '../installation/daemon-slot.js';
import { topicNames } from '../installation/programs.js';
import { Wallet } from '../installation/wallet.js';
import { ChaosProxy } from '../proxy/chaos-proxy.js';
import type { Bar } from '../chaos/report.js';
import { bar, none } from '../verdict/bars.js';
import type { Installation, Story } from '../drill.js';
import { runDrill } from '../drill.js';
import { withDrillFolder } from '../drill-folder.js';
import type { DrillReport } from '../report.js';
import { Undo } from '../../support/process/program.js';
import type { BaseBackup } from './backup.js';
import { takeBaseBackup, unpacked } from './backup.js';
import type { RestoreOptions } from './options.js';

const daemonCount = 2;
const readyMsMax = 90_000;
const followsMsMax = 60_000;
const recoversMsMax = 120_000;
/** A segment of the log is archived after so long, full or not. */
const archiveSeconds = 2;
/** Log that is kept for a replica that comes later, MB. */
const walKept = 1_024;

interface Parts {
  readonly broker: Broker;
  readonly wallet: Wallet;
  readonly folder: string;
  readonly programsPath: string;
}

/** Two daemons, and before their database an address that stays whichever server is behind it. */
class House implements Installation {
  readonly brokers: string;
  readonly truthUrl: string;
  readonly walletUrl: string;
  readonly sandboxUrl: string;
  private slots: readonly DaemonSlot[] = [];

  private constructor(
    private readonly parts: Parts,
    private readonly proxy: ChaosProxy,
    private readonly behind: { server: ChaosPostgres },
  ) {
    this.brokers = parts.broker.brokers;
    this.truthUrl = throughProxy(behind.server.url, proxy);
    this.walletUrl = parts.wallet.databaseUrl;
    this.sandboxUrl = parts.wallet.url;
  }

  static async open(parts: Parts, server: ChaosPostgres): Promise<House> {
    const behind = { server };
    const target = (): number | null => behind.server.port;
    return new House(parts, await ChaosProxy.start({ speaks: 'postgres', target, chance: new Chance(0) }), behind);
  }

  get primary(): ChaosPostgres {
    return this.behind.server;
  }

  versions(): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve({ Postgres: this.primary.version, Kafka: this.parts.broker.version });
  }

  /** They stand in the folder already. */
  logs(): Promise<string> {
    return Promise.resolve('');
  }

  /** Another server stands behind the address from now on. */
  moveTo(server: ChaosPostgres): void {
    this.behind.server = server;
  }

  /** Starts the daemons, and waits until they are ready. */
  async up(...flags: readonly string[]): Promise<void> {
    const life = flags.length === 0 ? 'before' : 'after';
    const env = daemonEnvironment({
      brokers: this.brokers,
      databaseUrl: this.truthUrl,
      partnerUrl: this.sandboxUrl,
      programsPath: this.parts.programsPath,
    });
    this.slots = Array.from({ length: daemonCount }, (_, index) => {
      const name = `daemon-${index + 1}-${life}`;
      return new DaemonSlot({ name, env, logFile: join(this.parts.folder, `${name}.log`), flags });
    });
    for (const slot of this.slots) slot.up();
    await this.areReady();
  }

  async areReady(): Promise<void> {
    const areReady = (): boolean => this.slots.every(({ isReady }) => isReady);
    try {
      await waitUntil(areReady, { what: 'the daemons to be ready', timeoutMs: readyMsMax });
    } catch (error) {
      const failures = this.slots.flatMap(({ startFailures }) => startFailures.slice(-1));
      throw new Error(failures.join('\n'), { cause: error });
    }
  }

  /** Ends the daemons for good. */
  async down(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.down()));
  }

  /** The database is gone: ends the daemons, and waits. @returns since when nobody works on it, RFC 3339 */
  async away({ downSeconds }: Pick<RestoreOptions, 'downSeconds'>): Promise<string> {
    await this.down();
    const since = new Date().toISOString();
    await sleep(downSeconds * 1_000);
    return since;
  }

  async close(): Promise<void> {
    await this.down();
    await this.proxy.stop();
    await this.primary.stop();
  }
}

/** The server's log goes to its own folder: the drill loses the server, and not that. */
const archiveSettings = (): readonly string[] => [
  'archive_mode=on',
  // A segment that is there already is the same one: the server asks again where its answer was lost.
  'archive_command=mkdir -p ../archive && cp %p ../archive/%f.part && mv ../archive/%f.part ../archive/%f',
  `archive_timeout=${archiveSeconds}`,
  `wal_keep_size=${walKept}MB`,
];

const momentOf = async (url: string, text: string): Promise<string> => {
  const [row] = await queryOnce<{ moment: Date }>(url, `SELECT ${text} AS moment`);
  if (row === undefined) throw new Error('no moment');
  return row.moment.toISOString();
};

interface Restoring {
  readonly house: House;
  readonly options: RestoreOptions;
  readonly undo: Undo;
}

function fromBackup({ house, options, undo }: Restoring): Story[] {
  const kept: { backup: BaseBackup | null } = { backup: null };
  const backUp = async (): Promise<void> => {
    const backup = await takeBaseBackup(house.primary);
    undo.add(() => rm(backup.folder, { recursive: true, force: true }));
    kept.backup = backup;
  };
  const restore = async (): Promise<void> => {
    if (kept.backup === null) throw new Error('no backup');
    const lost = house.primary;
    const moment = await momentOf(house.truthUrl, 'clock_timestamp()');
    await sleep(options.lostSeconds * 1_000);
    await lost.kill();
    const lostUntil = await house.away(options);
    const folder = await unpacked(kept.backup, 'recovery');
    const settings = [
      `restore_command=cp ${join(lost.folder, 'archive')}/%f %p`,
      // A server that starts knows no `Z`.
      `recovery_target_time=${moment.replace('Z', '+00')}`,
      'recovery_target_action=promote',
    ];
    const restored = await ChaosPostgres.on(folder, { settings, isCopy: true });
    undo.add(() => restored.remove());
    house.moveTo(restored);
    const isOpen = async (): Promise<boolean> => {
      const [row] = await queryOnce<{ isOpen: boolean }>(house.truthUrl, 'SELECT NOT pg_is_in_recovery() AS "isOpen"');
      return row?.isOpen === true;
    };
    await waitUntil(isOpen, { what: 'the recovery to end', timeoutMs: recoversMsMax });
    await house.up('--recovered-from', moment, '--lost-until', lostUntil);
  };
  return [
    { what: 'a base backup taken', play: backUp },
    { what: `the server lost, restored to ${options.lostSeconds} s before`, play: restore },
  ];
}

/** A replica of the server, and that it has caught up once. */
async function follow(primary: ChaosPostgres, undo: Undo): Promise<ChaosPostgres> {
  const backup = await takeBaseBackup(primary);
  const folder = await unpacked(backup, 'standby');
  await rm(backup.folder, { recursive: true });
  const { port, username, password } = new URL(primary.adminUrl);
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=replica`;
  const replica = await ChaosPostgres.on(folder, { settings: [`primary_conninfo=${conninfo}`], isCopy: true });
  undo.add(() => replica.remove());
  const isStreaming = async (): Promise<boolean> => {
    const rows = await queryOnce(primary.adminUrl, "SELECT FROM pg_stat_replication WHERE state = 'streaming'");
    return rows.length > 0;
  };
  await waitUntil(isStreaming, { what: 'the replica to follow', timeoutMs: followsMsMax });
  return replica;
}

async function promote(replica: ChaosPostgres): Promise<void> {
  await queryOnce(replica.adminUrl, 'SELECT pg_promote()');
}

function fromReplica({ house, options, undo }: Restoring): Story[] {
  const isSynchronous = options.disaster === 'synchronous-replica';
  const kept: { replica: ChaosPostgres | null } = { replica: null };
  const replicate = async (): Promise<void> => {
    kept.replica = await follow(house.primary, undo);
    if (!isSynchronous) return;
    await queryOnce(house.primary.adminUrl, "ALTER SYSTEM SET synchronous_standby_names = 'replica'");
    await queryOnce(house.primary.adminUrl, 'SELECT pg_reload_conf()');
  };
  const lose = async (): Promise<void> => {
    const { replica } = kept;
    if (replica === null) throw new Error('no replica');
    const lost = house.primary;
    await lost.kill();
    const lostUntil = isSynchronous ? '' : await house.away(options);
    const moment = await momentOf(replica.adminUrl, 'pg_last_xact_replay_timestamp()');
    await promote(replica);
    house.moveTo(replica);
    if (isSynchronous) await house.areReady();
    else await house.up('--recovered-from', moment, '--lost-until', lostUntil);
  };
  return [
    { what: 'a replica begun', play: replicate },
    { what: `the server lost, its ${isSynchronous ? 'synchronous ' : ''}replica promoted`, play: lose },
  ];
}

/** A person is asked about nothing that the lost history cannot have sent. */
async function overcautious({ truthUrl }: House): Promise<readonly Bar[]> {
  const [row] = await queryOnce<{ later: string; inDoubt: string }>(
    truthUrl,
    `SELECT count(*) AS later, count(*) FILTER (WHERE s.code = 'forgotten') AS "inDoubt"
     FROM intent i LEFT JOIN intent_standing s USING (lane_id, seq)
     WHERE i.broker_at >= (SELECT max(produced_until) FROM recovery)`,
  );
  const later = Number(row?.later);
  return [
    none('in doubt, though produced after the lost history', Number(row?.inDoubt)),
    bar('anything was produced after the lost history', later, later > 0),
  ];
}

/** Starts everything, plays the disaster, judges, and removes everything, whatever happens. */
export function runRestoreDrill(options: RestoreOptions): Promise<DrillReport> {
  return withDrillFolder(async ({ folder, programsPath, say, undo }) => {
    const { disaster, seed, rate, calmSeconds } = options;
    // Servers and backups go when nobody works on them any more.
    const left = new Undo();
    undo.add(() => left.after(() => Promise.resolve()));
    const server = await ChaosPostgres.create({ settings: archiveSettings() });
    left.add(() => server.remove());
    const wallet = await Wallet.start(seed);
    undo.add(() => wallet.stop(join(folder, 'sandbox.log')));
    const broker = await startBroker([], say);
    undo.add(() => broker.remove());
    const house = await House.open({ broker, wallet, folder, programsPath }, server);
    undo.add(() => house.close());
    await Promise.all([
      migrate(house.truthUrl),
      createTopics({ ...broker, isReal: broker.real !== null }, topicNames, partitions),
    ]);
    await house.up();
    const restoring = { house, options, undo: left };
    return runDrill(
      { installation: house, folder, programsPath, say },
      {
        command: `npm run drill -- restore ${disaster} --seed ${seed} --rate ${rate}`,
        ...{ seed, rate, calmSeconds },
        stories: disaster === 'backup' ? fromBackup(restoring) : fromReplica(restoring),
        skipped: [],
        ...(disaster === 'synchronous-replica' ? {} : { forgets: true, more: () => overcautious(house) }),
      },
    );
  });
}
