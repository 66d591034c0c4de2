import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { recordingLogger } from '#kafka/testing';
import { SystemClock } from '#platform';

import { HookSecrets, secretFreshMs } from './hook-secrets.js';

const hush = 'hush-0123456789abcdef';
const [first, second] = ['first-0123456789', 'second-0123456789'];

describe('the secrets of a webhook', () => {
  let folder: string;
  let now: number;
  let secrets: HookSecrets;
  let lines: ReturnType<typeof recordingLogger>['lines'];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-hook-'));
    now = 0;
    const recording = recordingLogger();
    lines = recording.lines;
    secrets = new HookSecrets(Object.assign(new SystemClock(), { monotonic: () => now }), recording.logger);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('are what their files hold, up to the last line break', async () => {
    const secretFiles = [file('one', `${hush}\n`), file('two', ' spaces count 16 ')];
    expect(await secrets.of({ secretFiles })).toEqual([hush, ' spaces count 16 ']);
  });

  it('follow their files', async () => {
    const secretFiles = [file('one', first)];
    expect(await secrets.of({ secretFiles })).toEqual([first]);
    file('one', second);
    expect(await secrets.of({ secretFiles })).toEqual([first]);
    now += secretFreshMs;
    expect(await secrets.of({ secretFiles })).toEqual([second]);
  });

  it('stay what they were while a file is gone, empty or another one; nothing of them is logged', async () => {
    const secretFiles = [file('one', hush), join(folder, 'not there')];
    expect(await secrets.of({ secretFiles })).toEqual([hush]);
    for (const broken of ['', '\n', `${hush}${'x'.repeat(5_000)}`]) {
      file('one', broken);
      now += secretFreshMs;
      expect(await secrets.of({ secretFiles })).toEqual([hush]);
    }
    rmSync(join(folder, 'one'));
    now += secretFreshMs;
    expect(await secrets.of({ secretFiles })).toEqual([hush]);
    expect(lines.length).toBeGreaterThan(3);
    expect(JSON.stringify(lines)).not.toContain(hush);
  });

  it.each([
    ['short', 'hush-0123456789'],
    ['of few characters', 'abababababababababababab'],
    ['not filled in', 'changeme'],
  ])('are none where they are %s: what anybody could guess signs for nobody', async (_what, text) => {
    const secretFiles = [file('one', text)];
    expect(await secrets.of({ secretFiles })).toEqual([]);
    expect(JSON.stringify(lines)).toContain('guess');
    file('one', hush);
    now += secretFreshMs;
    expect(await secrets.of({ secretFiles })).toEqual([hush]);
    file('one', text);
    now += secretFreshMs;
    expect(await secrets.of({ secretFiles })).toEqual([hush]);
    expect(JSON.stringify(lines)).not.toContain(text);
  });
});
