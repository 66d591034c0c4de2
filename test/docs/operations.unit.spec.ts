import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allPages, linksOf, projectRoot, readPage } from './markdown.js';

/** Two screens. */
const linesMax = 100;
const pages = allPages().filter(({ path }) => path.startsWith('docs/operations/'));

/** All of our sources without their specs, as one text. */
function sources(): string {
  const files = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const ours = files.filter((file) => /(?<!\.spec)\.ts$/.test(file) && !file.includes('node_modules'));
  return ours.map((file) => readFileSync(join(projectRoot, file), 'utf8')).join('\n');
}

/** The names in the first column of a page's tables. */
function namesIn(page: string): string[] {
  const cells = [...readPage(page).text.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell]) => cell ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

describe('docs/operations/', () => {
  it('has pages of two screens at most', () => {
    expect(pages.length).toBeGreaterThan(20);
    const lines = pages.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(lines.filter(({ lines }) => lines > linesMax)).toEqual([]);
  });

  it('is listed by docs/operations.md, page by page', () => {
    const linked = linksOf(readPage('docs/operations.md'));
    expect(pages.filter(({ path }) => !linked.includes(path.replace('docs/', '')))).toEqual([]);
  });

  it('lists the metrics that the sources define, and no other', () => {
    const defined = [...sources().matchAll(/name: '(loyaltyd_\w+)'/g)].map(([, name]) => name);
    expect(defined.length).toBeGreaterThan(5);
    expect(namesIn('docs/operations/metrics.md').sort()).toEqual(defined.sort());
  });

  it('quotes log lines as the sources write them', () => {
    const text = sources();
    // `msg` is pino's own name for the message.
    const names = namesIn('docs/operations/log.md').filter((name) => name !== 'msg');
    const lines = names.map((name) => name.replace(/[;:]? ?\.\.\.$/, ''));
    expect(lines).toContain('draining');
    expect(lines.filter((line) => !text.includes(line))).toEqual([]);
  });
});
