import { paceDifferences, replayFilter, selectionDifferences } from './replay-request.js';

describe('the query of a replay, as text', () => {
  it.each([
    ['status=parked operation=transaction', { operation: 'transaction' }],
    ['  reason=rejected   code=400 ', { reason: 'rejected', code: '400' }],
    ['source="till 3" store=\'north "a"\'', { source: 'till 3', store: 'north "a"' }],
    ['memberId="say \\"m\\""', { memberId: 'say "m"' }],
    ['purchaseId=a=b', { purchaseId: 'a=b' }],
    ['q="m 1"', { q: 'm 1' }],
    ['q=coffee~m%201~3', { program: 'coffee', memberId: 'm 1', seq: 3 }],
    ['', {}],
  ])('%s', (text, filter) => {
    expect(replayFilter(text)).toMatchObject(filter);
  });

  it.each([['parked'], ['=x'], ['source="till 3'], ['code=1 code=2'], ['nonsense=1'], ['status=delivered']])(
    'is refused: %s',
    (text) => {
      expect(() => replayFilter(text)).toThrow();
    },
  );
});

describe('whether somebody asks for the same replay', () => {
  const query = { operation: 'transaction', memberId: 'm-4711', from: 5 };

  it('names the keys of the query that differ, and no value of them', () => {
    const stored = { query, isForced: false };
    expect(selectionDifferences(stored, { query: { ...query }, isForced: false })).toEqual([]);
    const other = { operation: 'transaction', memberId: 'm-4712', to: 5 };
    expect(selectionDifferences(stored, { query: other, isForced: false })).toEqual([
      'query.memberId',
      'query.from',
      'query.to',
    ]);
  });

  it.each([true, false])('says that force is %p there where something else is asked for', (isForced) => {
    const asked = { query, isForced: !isForced };
    expect(selectionDifferences({ query, isForced }, asked)).toEqual([`force (${isForced} there)`]);
  });

  it('takes what is left out of the pace as it is', () => {
    const stored = { ratePerSecond: 20, isCanary: true };
    expect(paceDifferences(stored, { ratePerSecond: null, isCanary: null })).toEqual([]);
    expect(paceDifferences(stored, stored)).toEqual([]);
    expect(paceDifferences(stored, { ratePerSecond: 10, isCanary: false })).toEqual([
      'ratePerSecond (20 there)',
      'canary (true there)',
    ]);
  });
});
