import { namesOfRecord } from './record-names.js';

const key = Buffer.from('m-key');

function namesIn(value: unknown, headers: object = {}): ReturnType<typeof namesOfRecord> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return namesOfRecord({ key, text, headersText: JSON.stringify(headers) });
}

describe('by what a record that was set aside is found', () => {
  it('is its member, its event and its own numbers, also where they were written as numbers', () => {
    const data = { memberId: 'm-1', purchaseId: 4_105, refundId: 'F-7', storeId: 'graz', program: 'coffee-club' };
    expect(namesIn({ id: 'e-1', data })).toEqual({ members: ['m-1'], numbers: ['e-1', '4105', 'F-7'] });
  });

  it('is found at the top of a binary event, whose id is a header', () => {
    const named = namesIn({ memberId: ' m-1 ', grantId: 'G-1' }, { ce_id: 'e-2' });
    expect(named).toEqual({ members: ['m-1'], numbers: ['e-2', 'G-1'] });
  });

  it('is also the sale that it takes back, and whom a member has absorbed', () => {
    const data = { memberId: 'm-1', absorbed: ['m-2', 'm-3'], original: { purchaseId: 'R-1', storeId: 'x' } };
    expect(namesIn({ data })).toEqual({ members: ['m-1', 'm-2', 'm-3'], numbers: ['R-1'] });
  });

  it('is what was encoded', () => {
    const data = Buffer.from(JSON.stringify({ memberId: 'm-9', purchaseId: 'R-9' })).toString('base64');
    expect(namesIn({ id: 'e', data_base64: data })).toEqual({ members: ['m-9'], numbers: ['e', 'R-9'] });
  });

  it.each(['no JSON', '{"broken":', { data: { memberId: '' } }, { data: { memberId: { is: 'odd' } } }, []])(
    'is the key of %j, which names no member',
    (value) => {
      expect(namesIn(value)).toEqual({ members: ['m-key'], numbers: [] });
    },
  );

  it('is bounded', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}Id`, `N-${index}`]));
    expect(namesIn({ data: { ...many, memberId: 'x'.repeat(257) } }).numbers).toHaveLength(32);
    expect(namesIn({ data: { memberId: 'x'.repeat(257) } }).members).toEqual(['m-key']);
  });
});
