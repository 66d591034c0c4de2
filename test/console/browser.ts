import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const isCompiled = import.meta.filename.endsWith('.js');
const script = resolve(import.meta.dirname, isCompiled ? '../../../.ci/chromium' : '../../.ci/chromium');
const lookMs = 20_000;
const fetchMs = 600_000;

interface Found {
  readonly path: string | null;
  readonly reason: string;
}

/** Chromium, unless it would have to be fetched: only `.ci/run` (REQUIRE_CHROMIUM) and a person do that. */
function find(mayFetch: boolean): Found {
  const { status, stdout, stderr, error } = spawnSync('bash', [script, ...(mayFetch ? [] : ['--have'])], {
    encoding: 'utf8',
    timeout: mayFetch ? fetchMs : lookMs,
  });
  if (status === 0) return { path: stdout.trim(), reason: '' };
  return { path: null, reason: `no Chromium: ${error === undefined ? stderr.trim() : error.message}` };
}

const isRequired = process.env['REQUIRE_CHROMIUM'] === '1';
const found = find(isRequired);
if (isRequired && found.path === null) throw new Error(`REQUIRE_CHROMIUM is set, and there is ${found.reason}`);

/** Why there is none, and how to get it; null: it is here. */
export const chromiumMissing: string | null = found.path === null ? found.reason : null;

/** A browser that asks nobody for anything by itself. Who is root has no sandbox for it: it only opens pages of ours. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = found.path ?? find(true).path;
  if (executablePath === null) throw new Error(found.reason);
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    // Signals are for the tests, which close it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}
