import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { itUnless, missingCommands } from '#test-support';

import { projectRoot } from '../docs/markdown.js';
import { read } from './alert-files.js';

/** Fetching promtool for the first time takes a minute, building it by Go some more. */
const fetchMs = 540_000;
const cannotBeHad = 3;

function checkRules(...args: readonly string[]): { readonly code: number | null; readonly output: string } {
  const options = { cwd: projectRoot, encoding: 'utf8', timeout: fetchMs } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['.ci/alert-rules', ...args], options);
  return { code: status, output: `${stdout}${stderr}` };
}

const noBash = missingCommands('bash');
const first = noBash === null ? checkRules() : { code: cannotBeHad, output: noBash };
const isHad = first.code !== cannotBeHad;
const withPromtool = itUnless(isHad ? null : first.output.trim());

describe('the alerting rules, by promtool', () => {
  withPromtool('are valid, fire when they should and are silent in normal traffic', () => {
    expect(first).toEqual({ code: 0, output: expect.stringMatching(/SUCCESS: \d+ rules found[^]*SUCCESS/) as string });
  });

  withPromtool('would be refused with a query that is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-rules-'));
    try {
      const broken = join(folder, 'alerts.yaml');
      writeFileSync(broken, read('deploy/helm/loyaltyd/files/alerts.yaml').replace('absent(', 'absent(('));
      expect(checkRules(broken).code).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
