import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { invariants, invariantTable } from './invariants/index.js';

const readme = readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8');
const root = resolve(import.meta.dirname, '../..');

describe('the table of invariants', () => {
  it('names I1 to I26, each once and in order', () => {
    expect(invariants.map(({ id }) => id)).toEqual(Array.from({ length: 26 }, (_, index) => `I${index + 1}`));
  });

  it('stands in README.md as the code says it', () => {
    const lines = readme.split('\n');
    expect(
      invariantTable()
        .split('\n')
        .filter((line) => !lines.includes(line)),
    ).toEqual([]);
  });

  it.each(invariants.filter(({ elsewhere }) => elsewhere.length > 0))(
    '$id: the tests it refers to exist',
    ({ elsewhere }) => {
      expect(elsewhere.filter((path) => !existsSync(resolve(root, path)))).toEqual([]);
    },
  );
});
