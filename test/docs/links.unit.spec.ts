import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { allPages, anchorsOf, linksOf, readPage, projectRoot, type Page } from './markdown.js';

const isAddress = /^[a-z][a-z0-9+.-]*:/i;

function isInProject(path: string): boolean {
  return !path.startsWith('..') && existsSync(join(projectRoot, path));
}

/** The page that a link leads to, as a path below the project's root. */
function pathOf(page: Page, target: string): string {
  const [file = ''] = target.split('#', 1);
  return file === '' ? page.path : normalize(join(dirname(page.path), file));
}

function hasAnchor(page: Page, path: string, target: string): boolean {
  const anchor = target.split('#', 2)[1];
  return anchor === undefined || anchorsOf(path === page.path ? page : readPage(path)).has(anchor);
}

/** Why a link leads nowhere; null when it leads somewhere, or out of the project by an address. */
function problemOf(page: Page, target: string): string | null {
  if (isAddress.test(target)) return null;
  const path = pathOf(page, target);
  if (path !== page.path && !isInProject(path)) return `${page.path}: ${target} does not exist`;
  return hasAnchor(page, path, target) ? null : `${page.path}: ${target} has no such heading`;
}

function problemsOf(pages: readonly Page[]): string[] {
  return pages.flatMap((page) => linksOf(page).flatMap((target) => problemOf(page, target) ?? []));
}

/** Pages below `docs/` that the product's own sources name to whoever reads its screens and reports. */
function pagesSaid(folder: string): Page[] {
  const files = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.spec.'))
    .map((file) => join(folder, file));
  return sources.map((path) => {
    const said = readPage(path).text.matchAll(/'((?:[a-z]+\/)?[\w-]+\.md(?:#[\w-]+)?)'/g);
    return { path: 'docs/x.md', text: [...said].map(([, page]) => `[x](${page})`).join('\n') };
  });
}

describe('README.md and docs/', () => {
  it.each(['apps/daemon/src/doctor', 'apps/console/src'])('hold every page that %s names', (folder) => {
    const pages = pagesSaid(folder);
    expect(pages.flatMap(linksOf).length).toBeGreaterThan(10);
    expect(problemsOf(pages)).toEqual([]);
  });

  it('hold relative links that all lead somewhere', () => {
    const pages = allPages();
    expect(pages.flatMap(linksOf).length).toBeGreaterThan(20);
    expect(problemsOf(pages)).toEqual([]);
  });

  it.each([
    ['a missing file', '[x](nowhere.md)', ['docs/x.md: nowhere.md does not exist']],
    ['a way out of the project', '[x](../../etc/passwd)', ['docs/x.md: ../../etc/passwd does not exist']],
    ['a missing heading', '# Here\n[x](#there)', ['docs/x.md: #there has no such heading']],
    ['a heading', '# Is it `here`, now?\n[x](#is-it-here-now)', []],
    ['an address', '[x](https://example.org/nowhere.md)', []],
    ['code', '```sh\n[x](nowhere.md)\n```\nand `[x](nowhere.md)`', []],
  ])('would judge %s', (_what, text, problems) => {
    expect(problemsOf([{ path: 'docs/x.md', text }])).toEqual(problems);
  });
});
