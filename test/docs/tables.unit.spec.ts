import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot, readPage } from './markdown.js';

/** Names that the first cells of the page's tables hold in inline code. */
function namedInFirstCells(text: string): Set<string> {
  const cells = [...text.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].map(([, cell]) => cell ?? '');
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')));
}

describe('the design’s list of tables', () => {
  it('has every table of the schema', () => {
    const schema = readFileSync(join(projectRoot, 'test/schema.sql'), 'utf8');
    // Partitions are parts of the table that is listed.
    const tables = [...schema.matchAll(/^CREATE TABLE (\w+) \(/gm)].map(([, name]) => name ?? '');
    expect(tables.length).toBeGreaterThan(20);
    const listed = namedInFirstCells(readPage('docs/design.md').text);
    expect(tables.filter((table) => !listed.has(table))).toEqual([]);
  });
});
