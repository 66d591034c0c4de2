import { heldCount, type Pause, programsOf, scopeText, type Stats, stillPausedBy } from './pause-words.js';

const count = (program: string, operation: string, status: string, intents: number): unknown => ({
  ...{ program, operation, status, intents },
});
const stats = {
  intents: [
    count('tea', 'transaction', 'pending', 5),
    count('tea', 'transaction', 'delivered', 900),
    count('tea', 'issue', 'delivering', 1),
    count('coffee', 'transaction', 'pending', 7),
  ],
  pauses: [{ program: 'water', operation: null }],
} as unknown as Stats;

it.each([
  [null, null, 'everything', 13],
  ['tea', null, 'everything of tea', 6],
  [null, 'transaction', 'purchases of every program', 12],
  ['tea', 'transaction', 'purchases of tea', 5],
] as const)('%s, %s is %s and holds %s', (program, operation, text, intents) => {
  expect(scopeText({ program, operation })).toBe(text);
  expect(heldCount(stats, { program, operation })).toBe(intents);
});

it('knows the programs that anything is said of', () => {
  expect(programsOf(stats)).toEqual(['coffee', 'tea', 'water']);
});

it('knows which other pauses hold the same', () => {
  const pauses = [
    { program: 'tea', operation: 'transaction' },
    { program: null, operation: 'transaction' },
    { program: 'tea', operation: null },
    { program: 'coffee', operation: null },
    { program: null, operation: 'issue' },
  ] as unknown as readonly Pause[];
  expect(stillPausedBy(pauses, { program: 'tea', operation: 'transaction' }).map(scopeText)).toEqual([
    'purchases of every program',
    'everything of tea',
  ]);
});
