import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { checkoutRoot } from '#test-support';

import { optionsOrExit, UsageError } from '../support/process/program.js';
import { runPage } from './run-page.js';

const helpText = `Usage: npm run first-hour [-- --installed]

Clones this project, types docs/getting-started.md in the clone, from npm ci to the doctor, and says how long each step took.
Only what is committed is in a clone.

  --installed   with this checkout and its packages, in an empty folder: without npm ci`;

interface Options {
  readonly isHelp: boolean;
  readonly isInstalled: boolean;
}

function readOptions(args: readonly string[]): Options {
  try {
    const options = { help: { type: 'boolean' }, installed: { type: 'boolean' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    return { isHelp: values.help === true, isInstalled: values.installed === true };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'wrong words');
  }
}

async function run({ isInstalled }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-first-hour-'));
  try {
    if (!isInstalled) execFileSync('git', ['clone', '--quiet', `file://${checkoutRoot}`, folder]);
    const loyaltyd = isInstalled ? `${process.execPath} ${join(checkoutRoot, 'apps/cli/bin/loyaltyd.js')}` : null;
    const startedAt = performance.now();
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    const reports = await runPage({ folder, loyaltyd, installs: !isInstalled, env: process.env, say });
    const failed = reports.filter(({ code, command }) => code !== 0 && !command.includes('doctor'));
    for (const { command, output } of failed) process.stderr.write(`${command}\n${output}\n`);
    say(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  all of it`);
    process.exitCode = failed.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const options = optionsOrExit(readOptions, helpText);
if (options.isHelp) process.stdout.write(`${helpText}\n`);
else await run(options);
