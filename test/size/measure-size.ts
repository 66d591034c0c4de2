import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openApi, servedRoutes } from '#operations';

import { variablesRead } from '../docs/variables-read.js';
import { loadedBy } from '../project/loaded-modules.js';
import { measureHouse } from './measure-house.js';

const root = join(import.meta.dirname, '../..');

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const matches = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

/** Hand-written code of one kind. */
export interface Amount {
  readonly files: number;
  readonly lines: number;
}

/** A room of the house: what runs, and what tries it out. */
export interface Room {
  readonly name: string;
  readonly source: Amount;
  /** Specs, and what only they and the harnesses use. */
  readonly specs: Amount;
}

const isSpec = (path: string): boolean => /^test\/|\/test\/|\/testing\/|\.spec\.tsx?$/.test(path);

const amountOf = (paths: readonly string[]): Amount => ({
  files: paths.length,
  lines: paths.reduce((sum, path) => sum + matches(textOf(path), /\n/g), 0),
});

const sumOf = (amounts: readonly Amount[]): Amount => ({
  files: amounts.reduce((sum, { files }) => sum + files, 0),
  lines: amounts.reduce((sum, { lines }) => sum + lines, 0),
});

/** Of TypeScript that git knows: `apps/daemon`, `libs/intents`, ..., `migrations`, `test`. */
export function measureRooms(): readonly Room[] {
  const paths = run('git', 'ls-files', 'apps', 'libs', 'migrations', 'test').split('\n');
  const byRoom = Map.groupBy(
    paths.filter((path) => /\.tsx?$/.test(path)),
    (path) => /^(?:apps|libs)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? path,
  );
  const rooms = [...byRoom].map(([name, all]) => ({
    name,
    source: amountOf(all.filter((path) => !isSpec(path))),
    specs: amountOf(all.filter(isSpec)),
  }));
  return [
    ...rooms,
    { name: 'all', source: sumOf(rooms.map(({ source }) => source)), specs: sumOf(rooms.map(({ specs }) => specs)) },
  ];
}

const routesCount = (): number => {
  const { paths } = openApi(servedRoutes()) as { readonly paths: Readonly<Record<string, object>> };
  return Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
};

const sourcePaths = (): readonly string[] =>
  run('git', 'ls-files', 'apps', 'libs')
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !isSpec(path));

const metricsCount = (): number => {
  return new Set(
    sourcePaths().flatMap((path) => [...textOf(path).matchAll(/name: '(loyaltyd_\w+)'/g)].map(([, name]) => name)),
  ).size;
};

/** The daemon's image as Compose has built it last; null where no Docker engine answers, or has none. */
const imageMiB = (): number | null => {
  const { status, stdout } = spawnSync('docker', ['image', 'inspect', '--format', '{{.Size}}', 'loyaltyd:local'], {
    encoding: 'utf8',
  });
  return status === 0 ? Math.round(Number(stdout) / 1024 / 1024) : null;
};

const wordsOf = (pages: readonly string[]): number =>
  pages.reduce((sum, path) => sum + matches(textOf(path), /\S+/g), 0);

/** Everything else that somebody has to know, or to carry. Null: cannot be told here. */
export function measureThings(): Readonly<Record<string, number | null>> {
  const schema = textOf('test/schema.sql');
  const pages = run('git', 'ls-files', '*.md').split('\n').filter(Boolean);
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;
  const loaded = loadedBy('start');
  return {
    tables: matches(schema, /^CREATE TABLE/gm),
    functions: matches(schema, /^CREATE (?:OR REPLACE )?FUNCTION/gm),
    triggers: matches(schema, /^CREATE TRIGGER/gm),
    indexes: matches(schema, /^CREATE (?:UNIQUE )?INDEX/gm),
    migrations: run('git', 'ls-files', 'migrations/[0-9]*').split('\n').filter(Boolean).length,
    'operations of the API': routesCount(),
    'environment variables': variablesRead().length,
    metrics: metricsCount(),
    'dependencies of the daemon': Object.keys(dependencies ?? {}).length,
    'dependencies of the build and tests': Object.keys(devDependencies ?? {}).length,
    ...measureHouse(sourcePaths(), textOf),
    'modules that `start` loads': loaded.length,
    'of them ours': loaded.filter((url) => !url.includes('/node_modules/') && url.startsWith('file:')).length,
    'image, MiB': imageMiB(),
    decisions: pages.filter((path) => /^docs\/decisions\/\d/.test(path)).length,
    'pages of docs': pages.length,
    'words of docs': wordsOf(pages),
  };
}
