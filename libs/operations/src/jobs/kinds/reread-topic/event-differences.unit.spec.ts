import { differencesMax, differencesOf } from './event-differences.js';

const sale = (data: object, more: object = {}): string =>
  JSON.stringify({ id: 'o-1', type: 'loyalty.purchase.completed.v1', ...more, data: { program: 'p', ...data } });

describe('in what a recorded event differs from what is made of its record now', () => {
  it('is told with the values of money, and by the path alone of whatever may be personal', () => {
    const before = sale({ memberId: 'ada', total: { minor: 1_000 }, person: { firstName: 'Ada' } });
    const now = sale({ memberId: 'bob', total: { minor: 1_190 }, person: {} });
    expect(differencesOf(before, [now])).toEqual([
      { path: 'data.memberId' },
      { path: 'data.person.firstName' },
      { path: 'data.total.minor', was: '1000', now: '1190' },
    ]);
    expect(JSON.stringify(differencesOf(before, [now]))).not.toMatch(/ada|bob/i);
  });

  it('is held against the event of the same type and id, among several', () => {
    const refund = { type: 'loyalty.purchase.refunded.v1', id: 'r' };
    const events = [sale({}, refund), sale({}, { id: 'o-2' }), sale({ storeId: 's' })];
    expect(differencesOf(sale({}), events)).toEqual([{ path: 'data.storeId', now: 's' }]);
    expect(differencesOf(sale({}), [sale({}, refund)])).toEqual([
      { path: 'id' },
      { path: 'type', was: 'loyalty.purchase.completed.v1', now: refund.type },
    ]);
  });

  it('is nothing of an event that is not known any more, and bounded', () => {
    expect(differencesOf(null, [sale({})])).toEqual([]);
    expect(differencesOf('', [sale({})])).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, index]));
    expect(differencesOf(sale({}), [sale(many)])).toHaveLength(differencesMax);
  });
});
