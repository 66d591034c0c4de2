import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedFolder, cacheRoot } from './cached-folder.js';

describe('a cached folder', () => {
  let root: string;
  const before = process.env['XDG_CACHE_HOME'];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'loyaltyd-cache-'));
    process.env['XDG_CACHE_HOME'] = root;
  });

  afterEach(async () => {
    if (before === undefined) delete process.env['XDG_CACHE_HOME'];
    else process.env['XDG_CACHE_HOME'] = before;
    await rm(root, { recursive: true, force: true });
  });

  it('lies below the home folder unless the environment says otherwise', () => {
    expect(cacheRoot()).toBe(join(root, 'loyaltyd'));
    expect(cacheRoot({ XDG_CACHE_HOME: 'relative' })).toMatch(/^\/.*\/\.cache\/loyaltyd$/);
  });

  it('is filled once', async () => {
    const fill = (text: string) => (folder: string) => writeFile(join(folder, 'content'), text);
    const folder = await cachedFolder({ name: 'thing/1', fill: fill('first') });
    expect(await cachedFolder({ name: 'thing/1', fill: fill('second') })).toBe(folder);
    expect(await readFile(join(folder, 'content'), 'utf8')).toBe('first');
  });

  it('is whole when several fill it at once, and nothing else is left', async () => {
    let started = 0;
    let allStarted = (): void => undefined;
    const together = new Promise<void>((resolve) => (allStarted = resolve));
    const fill = async (folder: string): Promise<void> => {
      started += 1;
      if (started === 3) allStarted();
      await together;
      await writeFile(join(folder, 'content'), 'whole');
    };
    const folders = await Promise.all([1, 2, 3].map(() => cachedFolder({ name: 'thing/1', fill })));

    expect(new Set(folders).size).toBe(1);
    expect(await readFile(join(folders[0] ?? '', 'content'), 'utf8')).toBe('whole');
    expect(await readdir(join(root, 'loyaltyd', 'thing'))).toEqual(['1']);
  });

  it('is not there when filling it failed', async () => {
    const fill = async (folder: string): Promise<void> => {
      await writeFile(join(folder, 'half'), '');
      throw new Error('the network is gone');
    };
    await expect(cachedFolder({ name: 'thing/1', fill })).rejects.toThrow('the network is gone');
    expect(existsSync(join(root, 'loyaltyd', 'thing', '1'))).toBe(false);
    expect(await readdir(join(root, 'loyaltyd', 'thing'))).toEqual([]);
  });
});
