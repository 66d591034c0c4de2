import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectRoot } from '../docs/markdown.js';
import { pageSteps } from './page-steps.js';
import { effectsIn, runPage } from './run-page.js';

describe('docs/getting-started.md', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-first-hour-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('does what it says, block by block, in an empty folder', async () => {
    const { NODE_OPTIONS: _ours, ...env } = process.env;
    const loyaltyd = `${process.execPath} ${join(projectRoot, 'apps/cli/bin/loyaltyd.js')}`;
    const reports = await runPage({ folder, loyaltyd, installs: false, env, say: () => undefined });

    const failed = reports.filter(({ code, command }) => code !== 0 && !command.includes('doctor'));
    expect(failed).toEqual([]);
    const of = (word: string): string => reports.find(({ command }) => command.includes(word))?.output ?? '';
    expect(of(' lint ')).toMatch(/3 samples: 3 accepted, 0 ignored, 0 refused/);
    const effects = effectsIn(of('/__ledger'));
    expect(effects.map(({ operation, uniqueId }) => `${operation} ${uniqueId}`)).toEqual([
      ...['issue 4711', 'transaction 4711', 'transaction 4711'],
    ]);
    expect(effects.map(({ body }) => body?.amount)).toEqual([undefined, 60, -10]);
    expect(of(' doctor')).toMatch(/programs/);
  });

  it('has a step of each kind, and names the file that Compose is given as init does', () => {
    const kinds = pageSteps().map(({ kind }) => kind);
    expect(kinds).toEqual(['install', 'run', 'run', 'stays', 'run', 'look', 'run', 'docker', 'run']);
  });
});
