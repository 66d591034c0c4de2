import { replayFilter } from './replay-order.js';

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
