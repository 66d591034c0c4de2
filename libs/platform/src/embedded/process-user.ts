import { lchown, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessUser } from './bound-process.js';

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
