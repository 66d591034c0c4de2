import {
  asideCount,
  causesOf,
  heldCount,
  holdsText,
  type Pause,
  type PauseScope,
  programsOf,
  scopeText,
  type Stats,
  stillPausedBy,
} from './pause-words.js';

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
  const reward = (factor: PauseScope['factor'] & string) => ({ program: 'tea', operation: 'reward', factor }) as const;
  const held = [reward('reward:9001'), reward('store:s1')] as unknown as readonly Pause[];
  expect(stillPausedBy(held, reward('reward:9002')).map(scopeText)).toEqual(['rewards (store:s1) of tea']);
});

it.each([
  [null, null, 'no program delivers anything any more'],
  ['tea', null, 'nothing of tea is sent any more'],
  [null, 'reward', 'no reward of any program is sent any more'],
  ['tea', 'transaction', 'no purchase of tea is sent any more'],
] as const)('%s, %s: says that %s', (program, operation, text) => {
  expect(holdsText({ program, operation })).toBe(text);
});

it('counts what stands aside for what is paused of an operation', () => {
  const group = (reason: string, code: string, intents: number) =>
    ({ program: 'tea', operation: 'reward', reason, code, intents }) as const;
  const groups = [group('held', 'reward:9002', 7), group('held', 'store:s1', 2), group('rejected', 'reward:9002', 4)];
  const scope = { program: 'tea', operation: 'reward', factor: 'reward:9002' } as const;
  expect(asideCount(scope, groups)).toBe(7);
  expect(asideCount({ ...scope, program: null }, groups)).toBe(7);
  expect(asideCount({ ...scope, program: 'coffee' }, groups)).toBe(0);
});

it('knows which failures made delivery pause itself: of its program and operation, from shortly before until now', () => {
  const pause = { program: 'tea', operation: 'transaction', since: '2026-11-27T10:00:00.000Z' } as Pause;
  const group = (program: string, operation: Pause['operation'], time: string) => ({
    ...{ program, operation: operation ?? 'reward', reason: 'rejected', lastAt: `2026-11-27T${time}.000Z` },
  });
  const [cause, later] = [group('tea', 'transaction', '09:59:58'), group('tea', 'transaction', '10:20:00')];
  const others = [
    group('tea', 'transaction', '09:30:00'),
    group('tea', 'issue', '09:59:58'),
    group('coffee', 'transaction', '09:59:58'),
    { ...group('tea', 'transaction', '09:59:58'), reason: 'held' },
  ];
  expect(causesOf(pause, [...others, cause, later])).toEqual([cause, later]);
});
