import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const sale = (id: string, data: object = {}, frame: object = at('09:00')): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.completed.v1', frame },
  data: { memberId: 'ada', purchaseId: 'B-1', total: { minor: 5999, currency: 'EUR', digits: 2 }, ...data },
});

const refund = (id: string, data: object = {}, frame: object = at('09:30')): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.refunded.v1', frame },
  data: { memberId: 'ada', refundId: 'R-1', purchaseId: 'B-1', total: { minor: 100, currency: 'EUR' }, ...data },
});

describe.each(waysToSend)('a receipt told again, %s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it.each<[what: string, data: object]>([
    ['with a field more', { tillSoftware: '8.2', channel: 'web' }],
    ['with digits where there were none', { total: { minor: 5999, currency: 'EUR' } }],
    ['with an attribute that is not mapped', { attributes: { campaign: 'autumn', cashier: 7 } }],
  ])('%s is the same, under its id or another', async (_what, data) => {
    const again = [sale('1', data), sale('1', data, at('09:05')), sale('2', data)];
    expect(await told(sale('1'), ...again)).toEqual([
      ...['recorded', 'duplicate-event', 'duplicate-event', 'duplicate-business-key'],
    ]);
    expect(await till.setAside()).toEqual([]);
  });

  it.each<[what: string, data: object, frame: object]>([
    ['at another time', {}, at('09:05')],
    ['for another amount', { total: { minor: 4999, currency: 'EUR' } }, at('09:00')],
    ['by another member', { memberId: 'bob' }, at('09:00')],
    ['in another store', { storeId: 'berlin-08' }, at('09:00')],
    ['with another value of what is mapped', { attributes: { campaign: 'winter' } }, at('09:00')],
  ])('%s under another id is a conflict, and nothing more is sent', async (_what, data, frame) => {
    expect(await told(sale('1'), sale('2', data, frame))).toEqual(['recorded', 'conflict']);
    expect(await till.setAside()).toEqual(['conflict: business-key']);
    expect(await till.intents()).toEqual(['ada B-1 59.99 pending']);
  });

  it('with another amount, member or store under its own id is a conflict', async () => {
    const others = [{ memberId: 'bob' }, { storeId: 'berlin-08' }, { total: { minor: 1, currency: 'EUR' } }];
    const again = others.map((data) => sale('1', data));
    expect(await told(sale('1'), ...again)).toEqual(['recorded', 'conflict', 'conflict', 'conflict']);
  });

  it('of a refund the same holds', async () => {
    const again = [refund('3', { reason: 'damaged' }), refund('4', {}, at('09:31'))];
    expect(await told(sale('1'), refund('2'), ...again)).toEqual([
      ...['recorded', 'recorded', 'duplicate-business-key', 'conflict'],
    ]);
  });
});

it('a number, a store and a card that a till has filled up with spaces are the same ones', async () => {
  const padded = sale('2', { memberId: ' ada', purchaseId: 'B-1  ', storeId: 'berlin-07 ' });
  expect(await till.sends(sale('1', { storeId: 'berlin-07' }), padded)).toEqual(['recorded', 'duplicate-business-key']);
  expect(await till.sends(sale('3', { memberId: '   ', purchaseId: 'B-2' }))).toEqual(['no-member']);
});
