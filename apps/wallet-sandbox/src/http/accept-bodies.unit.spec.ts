import { nestingDepth } from './accept-bodies.js';

it.each([
  ['', 0],
  ['5', 0],
  ['{}', 1],
  ['[[],[[]]]', 3],
  ['{"a":{"b":[1,{"c":2}]},"d":[]}', 4],
  ['{"a":"[[[["}', 1],
  ['{"a":"\\"[[[["}', 1],
  ['{"a":"\\\\"},[[', 2],
  ['"[', 0],
])('%s nests %i deep', (json, depth) => {
  expect(nestingDepth(Buffer.from(json))).toBe(depth);
});

it('a body full of brackets is counted without calling itself', () => {
  expect(nestingDepth(Buffer.alloc(1_000_000, '['))).toBe(1_000_000);
});
