import { programsChanges, programsChangesMax } from './programs-changes.js';

const changesOf = (before: object, after: object): unknown =>
  programsChanges(JSON.stringify(before), JSON.stringify(after)).changes;

describe('what changed in a programs file', () => {
  it('is told path by path', () => {
    const before = { programs: { tea: { tiers: { gold: 1, silver: 2 }, purchaseKey: [['a']], currency: 'EUR' } } };
    const after = { programs: { tea: { tiers: { gold: 3, iron: 4 }, purchaseKey: [['a'], ['b']], currency: 'EUR' } } };
    expect(changesOf(before, after)).toEqual([
      { path: 'programs.tea.tiers.gold', change: 'changed', from: 1, to: 3 },
      { path: 'programs.tea.tiers.silver', change: 'removed', from: 2, to: null },
      { path: 'programs.tea.tiers.iron', change: 'added', from: null, to: 4 },
      { path: 'programs.tea.purchaseKey', change: 'changed', from: [['a']], to: [['a'], ['b']] },
    ]);
  });

  it('is nothing where they say the same, in whatever order', () => {
    expect(changesOf({ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } })).toEqual([]);
  });

  it('is a whole part where it was something else', () => {
    expect(changesOf({ a: null }, { a: { via: 'none' } })).toEqual([
      { path: 'a', change: 'changed', from: null, to: { via: 'none' } },
    ]);
  });

  it('is not known without both', () => {
    expect(programsChanges(undefined, '{}').changes).toBeNull();
    expect(programsChanges('{}', null).changes).toBeNull();
  });

  it('is told up to a limit', () => {
    const many = Object.fromEntries(Array.from({ length: programsChangesMax + 1 }, (_, index) => [index, index]));
    const { changes, hasMoreChanges } = programsChanges('{}', JSON.stringify(many));
    expect([changes?.length, hasMoreChanges]).toEqual([programsChangesMax, true]);
  });
});
