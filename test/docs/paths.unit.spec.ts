import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { allPages, projectRoot, type Page } from './markdown.js';

/** Files of the project that a page names in inline code. */
function filesNamed({ text }: Page): string[] {
  return [...text.matchAll(/`((?:apps|libs|migrations|test|deploy|docs|\.config|\.ci)\/[\w./-]+)`/g)].map(
    ([, path]) => path ?? '',
  );
}

describe('README.md and docs/', () => {
  it('name files that exist', () => {
    const named = allPages().flatMap((page) => filesNamed(page).map((path) => ({ page: page.path, path })));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ path }) => !existsSync(join(projectRoot, path)))).toEqual([]);
  });
});
