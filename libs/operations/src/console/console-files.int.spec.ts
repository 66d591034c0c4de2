import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ConsoleFiles } from './console-files.js';

describe('the files of the console', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-console-'));
    await mkdir(join(folder, 'assets'));
    const files = ['index.html', 'assets/a-12345678.js', 'assets/a-12345678.js.br', 'assets/a-12345678.js.gz'];
    for (const name of [...files, 'assets/a.map', 'assets/licences.txt']) await writeFile(join(folder, name), name);
    await symlink('/etc/passwd', join(folder, 'assets/passwd.txt'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['', null, 'assets/a-12345678.js'],
    ['gzip, deflate, br, zstd', 'br', 'assets/a-12345678.js.br'],
    ['gzip', 'gzip', 'assets/a-12345678.js.gz'],
    ['br;q=0, GZIP;q=0.5', 'gzip', 'assets/a-12345678.js.gz'],
    ['br;q=0.000, *', 'gzip', 'assets/a-12345678.js.gz'],
    ['identity', null, 'assets/a-12345678.js'],
    ['gzip;q=0, br;q=0', null, 'assets/a-12345678.js'],
  ])('come as who accepts %j wants them: %s', async (accepted, coding, content) => {
    const file = await new ConsoleFiles(folder).find('assets/a-12345678.js', accepted);
    expect(file).toMatchObject({ coding, hasCodings: true, isHashed: true, type: 'text/javascript; charset=utf-8' });
    expect(file?.bytes.toString()).toBe(content);
  });

  it('whose name stays when they change are told from those whose name does not', async () => {
    const file = await new ConsoleFiles(folder).find('assets/licences.txt', 'br');
    expect(file).toMatchObject({ coding: null, hasCodings: false, isHashed: false });
  });

  it.each([
    'assets/a.map',
    'assets/a-12345678.js.br',
    'assets/passwd.txt',
    'assets/../index.html',
    './index.html',
    '../../etc/passwd',
    '/index.html',
    'assets',
    '',
    'assets/constructor',
  ])('do not include %s', async (name) => {
    const files = new ConsoleFiles(folder);
    expect([files.has(name), await files.find(name)]).toEqual([false, null]);
  });

  it('are those that were there at the start, and are read once', async () => {
    const files = new ConsoleFiles(folder);
    await writeFile(join(folder, 'assets/late.js'), 'late');
    expect(await files.find('assets/late.js')).toBeNull();
    expect((await files.find('index.html'))?.bytes.toString()).toBe('index.html');
    await writeFile(join(folder, 'index.html'), 'another');
    expect((await files.find('index.html'))?.bytes.toString()).toBe('index.html');
  });

  it('are not there any more where they were built anew, or never were', async () => {
    const files = new ConsoleFiles(folder);
    await rm(join(folder, 'assets/licences.txt'));
    expect(await files.find('assets/licences.txt')).toBeNull();
    expect(await new ConsoleFiles(join(folder, 'nowhere')).find('index.html')).toBeNull();
  });
});
