import { readFile } from 'node:fs/promises';

import { consoleTypes, consoleTypesFile } from './console-types.js';

describe('the types that the console knows of the operations API', () => {
  it('are those of the OpenAPI document: else `npm run console:types`', async () => {
    expect((await readFile(consoleTypesFile, 'utf8')) === (await consoleTypes())).toBe(true);
  });
});
