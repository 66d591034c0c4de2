import { compileMap, MapError } from '#events';

import { readPage } from './markdown.js';

const page = readPage('docs/maps.md');
const record = { topic: 'shop.orders', key: null, headers: {}, timestamp: '2026-11-21T10:15:04Z' };

/** Rows of the table under a heading, each as its cells. */
function rowsUnder(heading: string): string[][] {
  const section = page.text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const cells = section.split('\n').filter((line) => line.startsWith('| `'));
  return cells.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

function codesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

async function valueOf(expression: string): Promise<unknown> {
  const result = await compileMap(`{"data": {"value": ${expression}}}`).map({ document: {}, record });
  if (result.kind === 'refused') throw new Error(`${result.path}: ${result.rule}`);
  return (result.events[0]?.['data'] as { value?: unknown }).value;
}

describe('docs/maps.md', () => {
  const helpers = rowsUnder('Helpers').map(([example = '', value = '']) => [codesIn(example)[0], codesIn(value)[0]]);

  it.each(helpers)('says what %s is', async (example = '', value) => {
    expect(await valueOf(example)).toEqual(value === undefined ? undefined : JSON.parse(value));
  });

  const refused = [...rowsUnder('Numbers are text'), ...rowsUnder('What else is refused')].flatMap(([cell]) =>
    codesIn(cell),
  );

  it.each(refused)('refuses %s when it is loaded', (example) => {
    expect(() => compileMap(example)).toThrow(MapError);
  });

  const instead = rowsUnder('Numbers are text')
    .flatMap(([, , cell]) => codesIn(cell))
    .filter((code) => code.includes(' '));

  it.each(instead)('takes %s', (example) => {
    expect(() => compileMap(example)).not.toThrow();
  });

  it('shows a map that makes what it says', async () => {
    const text = page.text.split('```jsonata\n')[1]?.split('```')[0] ?? '';
    const document = {
      ...{ id: '1001', name: '#1001', processed_at: '2026-11-21 10:15:04', total_price: '59.99', currency: 'EUR' },
      ...{ customer: { id: '7' }, line_items: [{ sku: 'A', quantity: '1', price: '59.99' }] },
    };
    const total = { minor: 5999, currency: 'EUR', digits: 2 };
    const result = await compileMap(text).map({ document, record });
    expect(result).toMatchObject({
      kind: 'events',
      events: [{ time: '2026-11-21T10:15:04+01:00', data: { total, lines: [{ sku: 'A', quantity: 1, net: total }] } }],
    });
    expect(await compileMap(text).map({ document: { ...document, test: true }, record })).toEqual({
      kind: 'events',
      events: [],
    });
  });

  it('names functions that are there', () => {
    const [line = ''] = page.text.split('\nOf JSONata: ').slice(1);
    const names = [...(line.split('`')[1] ?? '').matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(25);
    for (const name of names) expect(() => compileMap(`[$${name}]`)).not.toThrow();
  });

  it('has two screens at most', () => {
    expect(page.text.split('\n').length - 1).toBeLessThanOrEqual(100);
  });
});
