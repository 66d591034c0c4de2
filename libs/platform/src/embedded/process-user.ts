import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessUser } from './bound-process.js';

const run = promisify(execFile);

const numericId = async (flag: '-u' | '-g', name: string): Promise<number> =>
  Number((await run('id', [flag, name])).stdout.trim());

const lookUp = async (name: string): Promise<ProcessUser | undefined> => {
  try {
    return { uid: await numericId('-u', name), gid: await numericId('-g', name) };
  } catch {
    return undefined;
  }
};

/**
 * Whom to run a server as that refuses to run as root: `undefined` (ourselves) unless we are root, else the user
 * `postgres` where there is one, else `nobody`. Nothing is changed on the system.
 */
export const unprivilegedUser = async (): Promise<ProcessUser | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  const user = (await lookUp('postgres')) ?? (await lookUp('nobody'));
  if (user === undefined) throw new Error('Postgres refuses to run as root, and there is no user postgres or nobody');
  return user;
};

/** Makes `user` the owner of `path` and all below it. */
export const giveAway = async (path: string, user: ProcessUser | undefined): Promise<void> => {
  if (user !== undefined) await run('chown', ['-R', `${user.uid}:${user.gid}`, path]);
};
