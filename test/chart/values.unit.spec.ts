import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readPage } from '../docs/markdown.js';

const folder = join(import.meta.dirname, '../../deploy/helm/loyaltyd');
const values = parse(readFileSync(join(folder, 'values.yaml'), 'utf8')) as object;

/** Paths of all values that hold no further ones. */
function leaves(node: unknown, path: string): string[] {
  const isBranch = typeof node === 'object' && node !== null && !Array.isArray(node) && Object.keys(node).length > 0;
  if (!isBranch) return [path];
  return Object.entries(node).flatMap(([key, value]) => leaves(value, path === '' ? key : `${path}.${key}`));
}

/** Paths in the first column of the tables of values; `.b` behind `a.x` is `a.b`. */
function documented(): string[] {
  const section = readPage('docs/kubernetes.md').text.split('\n## Values\n')[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => {
    const names = [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
    const parent = names[0]?.split('.').slice(0, -1).join('.') ?? '';
    return names.map((name) => (name.startsWith('.') ? `${parent}${name}` : name));
  });
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);

describe('the values of the chart', () => {
  const paths = leaves(values, '').filter((path) => !isWithin(path, 'processes'));

  it('are each explained in docs/kubernetes.md', () => {
    expect(paths.length).toBeGreaterThan(60);
    expect(paths.filter((path) => !documented().some((row) => isWithin(path, row)))).toEqual([]);
  });

  it('are all that docs/kubernetes.md explains', () => {
    const exists = (row: string): boolean => row === 'processes' || paths.some((path) => isWithin(path, row));
    expect(documented().filter((row) => !exists(row))).toEqual([]);
  });

  it('are of the version that the package has', () => {
    const { version } = JSON.parse(readFileSync(join(folder, '../../../package.json'), 'utf8')) as { version: string };
    const chart = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8')) as { version: string; appVersion: string };
    expect(chart).toMatchObject({ version, appVersion: version });
  });
});

/** The variables that hold an address which a process calls. */
function addressesCalled(): string[] {
  const { text } = readPage('docs/configuration.md');
  const named = [...text.matchAll(/`([A-Z_]+_(?:URL|ADDR|ENDPOINT|ISSUER|PROXY))`/g)].map(([, name]) => name ?? '');
  // The database has values of its own; the others are for people to read, or name what is not called through a proxy.
  const notCalled = ['DATABASE_URL', 'NOTICE_CONSOLE_URL', 'OPS_DOCS_URL', 'NO_PROXY'];
  return [...new Set(named)].filter((name) => !notCalled.includes(name));
}

describe('the NetworkPolicy of the chart', () => {
  it('regression: lets out to every address that a variable names', () => {
    const template = readFileSync(join(folder, 'templates/networkpolicy.yaml'), 'utf8');
    expect(addressesCalled().length).toBeGreaterThan(8);
    expect(addressesCalled().filter((name) => !template.includes(`"${name}"`))).toEqual([]);
  });
});
