import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { contractFiles, contractsFolder } from './write-contracts.js';

describe('docs/contracts', () => {
  it('is what the schemas say today (npx --no-install node --import ./test/support/source-loader.js test/docs/write-contracts.ts)', () => {
    const expected = contractFiles();
    const found = readdirSync(contractsFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );
    expect(found.toSorted()).toEqual([...expected.keys()].toSorted());
    for (const [name, text] of expected) {
      expect([name, readFileSync(resolve(contractsFolder, name), 'utf8')]).toEqual([name, text]);
    }
  });
});
