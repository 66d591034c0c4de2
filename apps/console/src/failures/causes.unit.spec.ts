import {
  arrivalsByHour,
  explain,
  type FailureGroup,
  filterGroups,
  groupId,
  isPaused,
  latestRun,
  originText,
  replayObstacle,
} from './causes.js';

const group: FailureGroup = {
  program: 'coffee-club',
  operation: 'transaction',
  status: 'parked',
  reason: 'rejected',
  code: 'http-400',
  fingerprint: 'f1',
  wording: null,
  common: { intents: 0, stores: [], sources: [] },
  intents: 5,
  members: 4,
  firstAt: '2026-11-27T02:41:00.000Z',
  lastAt: '2026-11-27T03:10:00.000Z',
  money: [{ currency: 'EUR', minor: 1_824_010, digits: 2 }],
  hours: [
    { at: '2026-11-27T02:00:00.000Z', intents: 2 },
    { at: '2026-11-27T03:00:00.000Z', intents: 3 },
  ],
  query: { status: 'parked', program: 'coffee-club', fingerprint: 'f1' },
};

it('names groups apart, whatever stands in their parts', () => {
  const parts = [group, { ...group, code: null }, { ...group, reason: 'a~b', code: 'c' }, { ...group, reason: 'a' }];
  expect(new Set(parts.map(groupId)).size).toBe(parts.length);
  expect(groupId({ ...group, program: 'a~b/c', fingerprint: null })).toBe(
    'a%7Eb%2Fc~transaction~parked~rejected~http-400~',
  );
});

it.each([
  ['parked', 'rejected', true],
  ['parked', 'missing-purchase', true],
  ['parked', 'something-new', true],
  ['parked', 'unknown-outcome', false],
  ['parked', 'erased', false],
  ['unknown', null, false],
] as const)('%s for %s can be replayed: %s', (status, reason, may) => {
  expect(replayObstacle({ ...group, status, reason }) === null).toBe(may);
});

it('explains every reason, also one that it has never heard of', () => {
  expect(explain(group).short).toBe('refused by the partner');
  expect(explain({ status: 'unknown', reason: null }).short).toBe('outcome not known yet');
  expect(explain({ status: 'parked', reason: 'something-new' })).toMatchObject({ short: 'something-new' });
});

it('does not speak of evidence that nobody looks for: of what is paused', () => {
  const unknown = { ...group, status: 'unknown' as const, reason: null };
  const pauseOf = (program: string | null, operation: FailureGroup['operation'] | null) => ({ program, operation });
  const held = [pauseOf(null, null), pauseOf('coffee-club', null), pauseOf(null, 'transaction')];
  expect(held.map((pause) => isPaused(unknown, [pause]))).toEqual([true, true, true]);
  expect(isPaused(unknown, [pauseOf('tea-club', null), pauseOf('coffee-club', 'reward')])).toBe(false);
  expect(explain(unknown).meaning).toContain('Evidence is looked for');
  const paused = explain(unknown, { isPaused: true });
  expect(paused.meaning).toContain('no evidence is looked for');
  expect(paused.steps.join(' ')).not.toContain('For some minutes: nothing');
});

it('says what all of them have in common, and nothing where they have not', () => {
  const from = (stores: FailureGroup['common']['stores'], intents: number, sources = stores): string | null =>
    originText({ intents, common: { intents: 5, stores, sources } });
  const all = [{ name: 'hamburg', intents: 5 }];
  const some = [{ name: 'hamburg', intents: 4 }];
  expect(from(all, 5)).toBe('all of store hamburg');
  expect(from(all, 900)).toBe('the newest 5 all of store hamburg');
  expect(from(some, 5, [{ name: '/pos', intents: 5 }])).toBe('all from source /pos');
  expect(from(some, 5)).toBeNull();
  expect(from([], 5)).toBeNull();
  expect(
    originText({ intents: 1, common: { intents: 1, stores: [{ name: 'hamburg', intents: 1 }], sources: [] } }),
  ).toBeNull();
});

it('counts arrivals by hour, up to the hour that runs', () => {
  const counts = arrivalsByHour(group, Date.parse('2026-11-27T03:20:00Z'));
  expect(counts).toHaveLength(24);
  expect(counts.slice(-3)).toEqual([0, 2, 3]);
});

it('the latest run begins with the first one, or with the hour after the last quiet one', () => {
  expect(latestRun(group)).toEqual({ since: '2026-11-27T02:41:00.000Z', intents: 5 });
  const old = { at: '2026-11-26T10:00:00.000Z', intents: 9 };
  expect(latestRun({ firstAt: '2026-11-26T10:05:00.000Z', hours: [old, ...group.hours] })).toEqual({
    since: '2026-11-27T02:00:00.000Z',
    intents: 5,
  });
  expect(latestRun({ firstAt: '2026-11-20T10:05:00.000Z', hours: [] })).toBeNull();
});

it('filters by program and status', () => {
  const unknown = { ...group, status: 'unknown' as const, program: 'tea-club' };
  expect(filterGroups([group, unknown], {})).toHaveLength(2);
  expect(filterGroups([group, unknown], { program: 'tea-club' })).toEqual([unknown]);
  expect(filterGroups([group, unknown], { program: 'tea-club', status: 'parked' })).toEqual([]);
});
