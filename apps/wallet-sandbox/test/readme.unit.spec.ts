import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { faultKinds } from '../src/faults/fault-kinds.js';
import { callOperations } from '../src/http/operation.js';
import { parseSeed } from '../src/seed/load-seed.js';
import { spellingSchema } from '../src/spelling/spelling-schema.js';

let readme = '';

beforeAll(async () => {
  readme = await readFile(resolve(import.meta.dirname, '../README.md'), 'utf8');
});

it('shows a seed, and a spelling with every one of its entries', () => {
  const blocks = [...readme.matchAll(/```yaml\n(.*?)```/gs)].map(([, block]) => block);
  const { spelling } = parseSeed(parse(blocks.join('')));
  const shown = parse(blocks[1] ?? '') as { spelling: object };
  expect(Object.keys(shown.spelling).sort()).toEqual(Object.keys(spellingSchema.shape).sort());
  expect(spelling.createdStatus).toBe(201);
});

it.each([...faultKinds.keys(), ...callOperations])('names %s', (name) => {
  expect(readme).toContain(`\`${name}\``);
});
