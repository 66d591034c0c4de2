import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface CachedFolderOptions {
  /** Relative name, keyed by everything that changes the content: `kafka/4.3.1`. */
  readonly name: string;
  /** Fills a new, empty folder. What it throws is passed on, and nothing is cached. */
  readonly fill: (folder: string) => Promise<void>;
}

/** `$XDG_CACHE_HOME/loyaltyd`, else `~/.cache/loyaltyd` (XDG Base Directory specification). */
export const cacheRoot = (environment: NodeJS.ProcessEnv = process.env): string => {
  const base = environment['XDG_CACHE_HOME'];
  return join(base?.startsWith('/') ? base : join(homedir(), '.cache'), 'loyaltyd');
};

const isTaken = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * The path of a folder filled once per machine, and for ever. It is filled under another name and then renamed, so
 * that a reader never sees half of it; of several processes that fill it at once, the first one wins.
 */
export const cachedFolder = async ({ name, fill }: CachedFolderOptions): Promise<string> => {
  const folder = join(cacheRoot(), name);
  if (existsSync(folder)) return folder;
  const filling = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await mkdir(filling, { recursive: true });
  try {
    await fill(filling);
    await rename(filling, folder);
  } catch (error) {
    await rm(filling, { recursive: true, force: true });
    if (!isTaken(error)) throw error;
  }
  return folder;
};
