import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { checkoutRoot } from '#test-support';

const run = promisify(execFile);
const cacheFolder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'loyaltyd', 'releases');
const buildTimeoutMs = 600_000;

async function git(...words: readonly string[]): Promise<string> {
  return (await run('git', ['-C', checkoutRoot, ...words], { maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
}

/** Where an upgrade starts from, or why none can be tried. */
export type ReleaseBefore =
  { readonly commit: string; readonly name: string } | { readonly commit: null; readonly why: string };

/** `UPGRADE_FROM`, else the newest tag that is not this very commit. */
export async function releaseBefore(): Promise<ReleaseBefore> {
  const asked = process.env['UPGRADE_FROM'] ?? '';
  try {
    const name = asked === '' ? await git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^') : asked;
    return { commit: await git('rev-parse', `${name}^{commit}`), name };
  } catch (error) {
    if (asked !== '') throw error;
    const why = 'no tag v* of a release before this one is in this checkout; UPGRADE_FROM=<commit> names another start';
    return { commit: null, why };
  }
}

async function isSame(commit: string, path: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all([git('rev-parse', `${commit}:${path}`), git('hash-object', path)]);
  return theirs === ours;
}

/** What it was built with: shared where nothing has changed, which saves half a gigabyte. */
async function provideModules(commit: string, folder: string): Promise<void> {
  if (await isSame(commit, 'package-lock.json')) {
    await symlink(join(checkoutRoot, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, timeout: buildTimeoutMs });
}

/** The release's own checkout, built, in a cache outside of this one. @returns its folder */
export async function provideRelease(commit: string): Promise<string> {
  const folder = join(cacheFolder, commit);
  // Its modules may be those of a checkout that has gone since.
  if (existsSync(join(folder, 'node_modules'))) return folder;
  await rm(folder, { recursive: true, force: true });
  const making = `${folder}.${process.pid}`;
  await mkdir(making, { recursive: true });
  try {
    await run('bash', ['-c', 'git -C "$1" archive "$2" | tar -x -C "$3"', 'bash', checkoutRoot, commit, making]);
    await provideModules(commit, making);
    const path = `${join(making, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`;
    await run('npm', ['run', 'build'], { cwd: making, timeout: buildTimeoutMs, env: { ...process.env, PATH: path } });
    await rename(making, folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
  return folder;
}
