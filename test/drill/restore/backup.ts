import { copyFile, cp, mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';

import { newDataFolder, type ChaosPostgres } from '../installation/chaos-postgres.js';

/** A copy of a server's data that was taken while it worked: worth something with the log written since. */
export interface BaseBackup {
  /** Holds `data` and `password`, as the server's own folder does. */
  readonly folder: string;
}

/** What a backup has as empty folders (PostgreSQL's manual, Backing Up the Data Directory). */
const emptied = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp'];
const leftOut = new Set(['postmaster.pid', 'postmaster.opts']);

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Files come and go meanwhile, and change: the log since the backup's start mends that. */
async function copyWorking(from: string, to: string, skip: ReadonlySet<string>): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (leftOut.has(entry.name)) continue;
    if (entry.isDirectory() && skip.has(entry.name)) await mkdir(target, { mode: 0o700 });
    else if (entry.isDirectory()) await copyWorking(source, target, new Set());
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else {
      await copyFile(source, target).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    }
  }
}

/** What `pg_basebackup` does, which npm's Postgres does not bring: PostgreSQL's low-level backup of a server at work. */
export async function takeBaseBackup({ folder, adminUrl }: ChaosPostgres): Promise<BaseBackup> {
  const backup = { folder: await newDataFolder() };
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('drill', true)");
    const data = join(backup.folder, 'data');
    await copyWorking(join(folder, 'data'), data, new Set(emptied));
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    await writeFile(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
    await copyFile(join(folder, 'password'), join(backup.folder, 'password'));
    return backup;
  } finally {
    await client.end();
  }
}

/** The backup in a folder of its own, to be started as what the signal says: `recovery` or `standby`. */
export async function unpacked({ folder }: BaseBackup, signal: 'recovery' | 'standby'): Promise<string> {
  const copy = await newDataFolder();
  await cp(folder, copy, { recursive: true });
  await writeFile(join(copy, 'data', `${signal}.signal`), '');
  return copy;
}
