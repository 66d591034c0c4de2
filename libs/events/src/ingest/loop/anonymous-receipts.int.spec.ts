import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
/** Of one receipt, 60.00; `memberId` absent: without a card. */
const sale = (memberId?: string): EventSketch => ({
  ...{ id: `s-${memberId ?? 'nobody'}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId, purchaseId: 'B-1', total: money(6000) },
});
const refund = (id: string, minor: number, memberId?: string): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId, refundId: `R-${id}`, purchaseId: 'B-1', total: money(minor) },
});
const voided = (memberId?: string): EventSketch => ({
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId, purchaseId: 'B-1', total: money(6000) },
});

describe.each(waysToSend)('%s, a sale without a card', (way) => {
  beforeEach(async () => {
    till = await Till.open(testPrograms());
  });

  it('is taken back from nobody, whichever card the return names', async () => {
    const events = [sale(), refund('1', 1000, 'ada'), refund('2', 1000), voided('ada')];
    expect(await till.sendsBy(way, events)).toEqual(['no-member', 'no-member', 'no-member', 'recorded']);
    expect(await till.intents()).toEqual([]);
  });

  it('takes from its list what has waited for it', async () => {
    expect(await till.sendsBy(way, [refund('1', 1000, 'ada'), refund('2', 500, 'bob'), sale()])).toEqual([
      ...['recorded', 'recorded', 'no-member'],
    ]);
    expect(await till.intents()).toEqual(['ada B-1 10.00 cancelled no-member', 'bob B-1 5.00 cancelled no-member']);
  });

  it('is the sale of who claims it later, and so are its refunds from then on', async () => {
    expect(await till.sendsBy(way, [sale(), sale('ada'), refund('1', 1000)])).toEqual([
      ...['no-member', 'recorded', 'recorded'],
    ]);
    expect(await till.intents()).toEqual(['ada B-1 60.00 pending', 'ada B-1 10.00 pending']);
  });

  it.each([undefined, 'ada'])(
    'is for a person where some of it came back before it is claimed (%s)',
    async (memberId) => {
      await till.sendsBy(way, [sale(), refund('1', 1000, memberId), refund('1', 1000, memberId), sale('ada')]);
      expect(await till.intents()).toEqual(['ada B-1 50.00 parked conflict']);
      expect(await till.reasons()).toEqual(['sold without a card, 50.00 left of it before it was claimed']);
    },
  );

  it.each([
    [60_000, '60.00'],
    [4000, '40.00'],
  ])('regression: is for a person where it is claimed with another total: %s', async (minor, most) => {
    const claim = { ...sale('ada'), data: { memberId: 'ada', purchaseId: 'B-1', total: money(minor) } };
    expect(await till.sendsBy(way, [sale(), claim])).toEqual(['no-member', 'recorded']);
    expect(await till.intents()).toEqual([`ada B-1 ${most} parked conflict`]);
    expect(await till.reasons()).toEqual(['sold without a card, 60.00 left of it before it was claimed']);
  });

  it.each([undefined, 'ada'])("is nobody else's once it was voided (%s)", async (memberId) => {
    await till.sendsBy(way, [sale(), voided(memberId), sale('ada')]);
    expect(await till.intents()).toEqual(['ada B-1 60.00 cancelled voided']);
  });

  it('regression: is for a person where a sale of another day is told under its number, though of the same total', async () => {
    const other = { ...sale('ada'), frame: { time: '2026-11-20T23:59:00Z' } };
    expect(await till.sendsBy(way, [sale(), other])).toEqual(['no-member', 'recorded']);
    expect(await till.intents()).toEqual(['ada B-1 60.00 parked conflict']);
    expect(await till.reasons()).toEqual(['sold without a card on 2026-11-21, 60.00 left of it before it was claimed']);
  });

  it('that was taken back before it came is for a person when it is claimed', async () => {
    await till.sendsBy(way, [refund('1', 1000, 'bob'), sale(), sale('ada')]);
    expect(await till.intents()).toEqual(['ada B-1 50.00 parked conflict', 'bob B-1 10.00 cancelled no-member']);
  });
});

describe.each(waysToSend)('%s, a return without a card', (way) => {
  beforeEach(async () => {
    till = await Till.open(testPrograms());
  });

  it('whose sale is told later is told of to a person, once', async () => {
    const again = { ...refund('1', 1000), id: 'r-again' };
    expect(await till.sendsBy(way, [refund('1', 1000), again, refund('2', 500), sale('ada')])).toEqual([
      ...['no-member', 'duplicate-business-key', 'no-member', 'recorded'],
    ]);
    expect(await till.intents()).toEqual(['ada B-1 45.00 parked conflict']);
    expect(await till.reasons()).toEqual(['15.00 of it came back without a card before it was told']);
    await till.replays('ada');
    await till.delivers();
    await till.sends(refund('3', 4600, 'ada'), refund('4', 4500, 'ada'));
    expect((await till.intents()).slice(1)).toEqual(['ada B-1 46.00 parked over-refund', 'ada B-1 45.00 pending']);
  });

  it('takes from nobody where its sale has no card either, and leaves what is left to who claims that', async () => {
    await till.sendsBy(way, [refund('1', 1000), sale(), refund('2', 500, 'bob'), sale('ada')]);
    expect(await till.intents()).toEqual(['ada B-1 45.00 parked conflict']);
  });

  it('does not make its receipt nobody’s: who shows a card is not let off, and a void cancels', async () => {
    await till.sendsBy(way, [refund('1', 1000), refund('2', 500, 'ada')]);
    expect(await till.intents()).toEqual(['ada B-1 5.00 parked missing-purchase']);
    await till.sendsBy(way, [voided(), sale('ada')]);
    expect((await till.intents()).at(-1)).toEqual('ada B-1 60.00 cancelled voided');
  });
});

it('is not posted on a card under `refundUnknown: post`, either, whichever is read first', async () => {
  till = await Till.open(testPrograms(['purchases:', 'refundUnknown: post\n    purchases:']));
  await till.sends(refund('0', 500, 'ada'));
  expect(await till.sends(sale(), refund('1', 1000, 'ada'))).toEqual(['no-member', 'no-member']);
  await till.delivers();
  expect(await till.intents()).toEqual(['ada B-1 5.00 parked missing-purchase']);
});

it('is not remembered where the program says so: its returns stand in a list', async () => {
  till = await Till.open(testPrograms(['purchases:', 'anonymousReceiptDays: 0\n    purchases:']));
  expect(await till.sends(sale(), refund('1', 1000, 'ada'))).toEqual(['no-member', 'recorded']);
  expect(await till.intents()).toEqual(['ada B-1 10.00 parked missing-purchase']);
});
