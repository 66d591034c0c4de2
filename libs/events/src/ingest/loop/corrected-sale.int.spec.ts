import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;
const mapped = `voided: { transactionTypeId: "33", sign: -1 }
      corrected: { transactionTypeId: "35", attributes: { of: purchaseId } }
      completed:`;

const open = async (corrected = mapped): Promise<void> => {
  till = await Till.open(testPrograms(['completed:', corrected]));
};

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (minor = 6000, memberId: string | null = 'ada'): EventSketch => ({
  ...{ id: `s-${memberId}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId, purchaseId: 'B-1', total: money(minor) },
});
const corrected = (id: string, from: number, to: number, memberId: string | null = 'ada'): EventSketch => ({
  ...{ id: `c-${id}`, name: 'loyalty.purchase.corrected.v1', frame: at('09:10') },
  data: { memberId, correctionId: `C-${id}`, purchaseId: 'B-1', previousTotal: money(from), total: money(to) },
});
const refund = (id: string, minor: number): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId: 'ada', refundId: `R-${id}`, purchaseId: 'B-1', total: money(minor) },
});
const voided = (minor: number | null): EventSketch => ({
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: minor === null ? null : money(minor) },
});

describe.each(waysToSend)('a sale that has not left, %s', (way) => {
  beforeEach(() => open());
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it('says its corrected total itself', async () => {
    expect(await told(sale(), corrected('1', 6000, 4500), corrected('2', 4500, 7000))).toEqual([
      ...['recorded', 'recorded', 'recorded'],
    ]);
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 pending',
      'ada B-1 15.00 cancelled corrected',
      'ada B-1 25.00 cancelled corrected',
    ]);
    expect(await till.amounts()).toEqual(['70.00', '-15.00', '25.00']);
  });

  it('is not corrected by who knows another total: a person must look', async () => {
    await told(sale(), corrected('1', 5000, 4500), corrected('2', 6000, 4000), corrected('3', 6000, 3000));
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 pending',
      'ada B-1 5.00 parked conflict',
      'ada B-1 20.00 cancelled corrected',
      'ada B-1 30.00 parked conflict',
    ]);
    expect(await till.reasons()).toEqual([
      'corrected from 50.00, known is 60.00',
      'corrected from 60.00, known is 40.00',
    ]);
  });

  it('gives back no more than its corrected total, and is not corrected to less than has come back', async () => {
    await told(sale(), corrected('1', 6000, 4000), refund('1', 3000), refund('2', 2000), corrected('2', 4000, 2000));
    expect((await till.intents()).slice(2)).toEqual([
      'ada B-1 30.00 pending',
      'ada B-1 20.00 parked over-refund',
      'ada B-1 20.00 parked over-refund',
    ]);
    await told(corrected('3', 4000, 5000), refund('3', 1));
    expect((await till.intents()).slice(3)).toEqual([
      'ada B-1 20.00 pending',
      'ada B-1 20.00 parked over-refund',
      'ada B-1 10.00 cancelled corrected',
      'ada B-1 0.01 parked over-refund',
    ]);
  });

  it('is voided by its corrected total', async () => {
    await told(sale(), corrected('1', 6000, 4000), voided(4000), corrected('2', 4000, 3000));
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 cancelled voided',
      'ada B-1 20.00 cancelled corrected',
      'ada B-1 10.00 parked conflict',
    ]);
  });

  it('told again, and under another event id, nothing changes; another total under its number is a conflict', async () => {
    await told(sale(), corrected('1', 6000, 4000));
    const again = { ...corrected('1', 6000, 4000), id: 'anew' };
    const other = { ...corrected('1', 6000, 4500), id: 'other' };
    expect(await told(corrected('1', 6000, 4000), again, other)).toEqual([
      ...['duplicate-event', 'duplicate-business-key', 'conflict'],
    ]);
    expect(await till.amounts()).toEqual(['40.00', '-20.00']);
  });

  it('nothing is owed for a correction that changes nothing', async () => {
    expect(await told(sale(), corrected('1', 6000, 6000))).toEqual(['recorded', 'nothing-changed']);
  });
});

describe('a sale that was sent', () => {
  beforeEach(() => open());

  it('is followed by the difference, in order, on the card of who got it', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(corrected('1', 6000, 4500, 'bob'), corrected('2', 4500, 7000, null), refund('1', 4000));
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 delivered',
      'ada B-1 15.00 pending',
      'ada B-1 25.00 pending',
      'ada B-1 40.00 pending',
    ]);
    expect(await till.amounts()).toEqual(['60.00', '-15.00', '25.00', '-40.00']);
  });

  it('what a correction gives can be refunded once it is there', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(corrected('1', 6000, 7000), refund('1', 7000));
    expect((await till.intents()).slice(1)).toEqual(['ada B-1 10.00 pending', 'ada B-1 70.00 parked over-refund']);
    await till.delivers();
    await till.replays('ada');
    await till.delivers();
    expect((await till.intents()).slice(1)).toEqual(['ada B-1 10.00 delivered', 'ada B-1 70.00 delivered']);
  });

  it('what was refused of it gives nothing, and takes nothing', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(corrected('1', 6000, 4000), corrected('2', 4000, 7000));
    await till.delivers('refusal');
    await till.sends(refund('1', 6000), refund('2', 100));
    expect((await till.intents()).slice(1)).toEqual([
      'ada B-1 20.00 parked rejected',
      'ada B-1 30.00 parked rejected',
      'ada B-1 60.00 pending',
      'ada B-1 1.00 parked over-refund',
    ]);
  });

  it('a void takes what is left of the corrected total, and nothing is corrected after it', async () => {
    await till.sends(sale(), refund('1', 1000));
    await till.delivers();
    await till.sends(corrected('1', 6000, 4000));
    await till.delivers();
    await till.sends(voided(4000), corrected('2', 4000, 9000));
    await till.delivers();
    expect((await till.intents()).slice(2)).toEqual([
      'ada B-1 20.00 delivered',
      'ada B-1 30.00 delivered',
      'ada B-1 50.00 parked conflict',
    ]);
  });

  it('a void while a correction is under way is for a person, as is one by another total', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(corrected('1', 6000, 7000), voided(7000));
    expect((await till.intents()).slice(1)).toEqual(['ada B-1 10.00 pending', 'ada B-1 60.00 parked conflict']);
    await till.delivers();
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    expect(await till.amounts()).toEqual(['60.00', '10.00', '-70.00']);
  });
});

describe('a sale that may have been sent', () => {
  beforeEach(() => open());

  it('is not touched: the correction waits for what became of it', async () => {
    await till.sends(sale());
    const ends = await till.begins();
    await till.sends(corrected('1', 6000, 4500));
    expect(await till.amounts()).toEqual(['60.00', '-15.00']);
    await ends('doubt');
    await till.delivers();
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 parked unknown-outcome',
      'ada B-1 15.00 parked missing-purchase',
    ]);
    await till.resolves('ada', 1);
    await till.delivers();
    expect(await till.intents()).toEqual(['ada B-1 60.00 delivered', 'ada B-1 15.00 delivered']);
  });
});

describe('a sale that nobody knows', () => {
  beforeEach(() => open());

  it('its corrections step aside, and come back with it, each by what is known then', async () => {
    await till.sends(corrected('1', 6000, 4500), corrected('2', 6000, 5000), corrected('3', 4500, 5000));
    expect((await till.intents()).map((line) => line.split(' ').slice(3).join(' '))).toEqual([
      ...Array.from({ length: 3 }, () => 'parked missing-purchase'),
    ]);
    await till.sends(sale());
    await till.delivers();
    expect(await till.intents()).toEqual([
      'ada B-1 15.00 delivered',
      'ada B-1 10.00 parked conflict',
      'ada B-1 5.00 delivered',
      'ada B-1 60.00 delivered',
    ]);
  });

  it('of a sale without a card nothing is asked; what is left of it follows', async () => {
    const anonymous = sale(6000, null);
    await till.sends(corrected('0', 6000, 5500), anonymous, corrected('1', 5500, 7500), corrected('2', 7500, 4000));
    expect(await till.intents()).toEqual(['ada B-1 5.00 cancelled no-member']);
    expect(await till.sends({ ...sale(4000), id: 'claimed' })).toEqual(['recorded']);
    expect((await till.intents()).slice(1)).toEqual(['ada B-1 40.00 pending']);
  });
});

describe('where the program does not say how', () => {
  beforeEach(() => open('completed:'));

  it('a sale that has not left says it itself; of one that was sent it stands in a list with its amount', async () => {
    await till.sends(sale(), corrected('1', 6000, 4500));
    await till.delivers();
    await till.sends(corrected('2', 4500, 7000), corrected('3', 7000, 6900));
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 delivered',
      'ada B-1 15.00 cancelled corrected',
      'ada B-1 25.00 parked unroutable',
      'ada B-1 1.00 parked unroutable',
    ]);
  });

  it('of one that is under way it waits for what becomes of that', async () => {
    await till.sends(sale());
    const ends = await till.begins();
    await till.sends(corrected('1', 6000, 4500));
    expect((await till.intents())[1]).toBe('ada B-1 15.00 pending');
    await ends('answer');
    await till.delivers();
    expect((await till.intents())[1]).toBe('ada B-1 15.00 parked unroutable');
  });
});

describe('what else becomes of corrections', () => {
  beforeEach(() => open());

  it('a parked sale counts, and is sent, by its corrected total', async () => {
    await till.sends(sale());
    await till.delivers('refusal');
    await till.sends(corrected('1', 6000, 4500));
    const text = `SELECT amount::text AS amount FROM intent_standing WHERE status = 'parked'`;
    const { rows } = await till.database.execute({ name: 'spec parked amount', text });
    expect(rows).toEqual([{ amount: '45.00' }]);
    await till.replays('ada');
    await till.delivers();
    expect(await till.intents()).toEqual(['ada B-1 60.00 delivered', 'ada B-1 15.00 cancelled corrected']);
    await till.sends(refund('1', 4600), refund('2', 4500));
    expect((await till.intents()).slice(2)).toEqual(['ada B-1 46.00 parked over-refund', 'ada B-1 45.00 pending']);
  });

  it('a person who replays one from another total sends the difference; one to less than has come back stays', async () => {
    await till.sends(sale(), refund('1', 5000));
    await till.delivers();
    await till.sends(corrected('1', 5500, 5400), corrected('2', 6000, 4000));
    expect((await till.intents()).slice(2)).toEqual([
      'ada B-1 1.00 parked conflict',
      'ada B-1 20.00 parked over-refund',
    ]);
    await till.replays('ada');
    await till.delivers();
    expect((await till.intents()).slice(2)).toEqual(['ada B-1 1.00 delivered', 'ada B-1 20.00 parked over-refund']);
    await till.sends(refund('2', 1000), refund('3', 900));
    expect((await till.intents()).slice(4)).toEqual(['ada B-1 10.00 parked over-refund', 'ada B-1 9.00 pending']);
  });

  it('of who was absorbed it is on the card of the survivor', async () => {
    const merged: EventSketch = {
      ...{ id: 'm', name: 'loyalty.member.merged.v1', frame: at('09:05') },
      data: { memberId: 'bea', absorbed: ['ada'] },
    };
    await till.sends(sale(), merged, corrected('1', 6000, 4500));
    expect((await till.intents()).filter((line) => line.includes('B-1'))).toEqual([
      'ada B-1 60.00 pending',
      'bea B-1 15.00 cancelled corrected',
    ]);
    await till.delivers();
    await till.sends(corrected('2', 4500, 5000));
    expect((await till.intents()).at(-1)).toBe('bea B-1 5.00 pending');
    await till.sends(corrected('3', 4500, 5000));
    expect((await till.intents()).at(-1)).toBe('bea B-1 5.00 parked conflict');
  });

  it('of an erased member nothing is kept but the amount', async () => {
    const erased: EventSketch = {
      ...{ id: 'x', name: 'loyalty.member.opted-out.v1', frame: at('09:05') },
      data: { memberId: 'ada', scope: 'program', erase: true },
    };
    await till.sends(sale());
    await till.delivers();
    await till.sends(erased);
    expect(await till.sends(corrected('1', 6000, 4500), corrected('2', 6000, 4500, null))).toEqual([
      ...['conflict', 'conflict'],
    ]);
    expect(await till.setAside()).toEqual([
      'conflict: correction C-1, -15.00 EUR: a number of an erased member',
      'conflict: correction C-2, -15.00 EUR: a number of an erased member',
    ]);
  });

  it('of who has left it is kept for when they are back, and the sale stays as it was', async () => {
    const left: EventSketch = {
      ...{ id: 'x', name: 'loyalty.member.opted-out.v1', frame: { time: '2025-11-20T09:00:00Z' } },
      data: { memberId: 'ada', scope: 'program' },
    };
    await till.sends({ ...sale(), frame: { time: '2025-11-19T09:00:00Z' } }, left, corrected('1', 6000, 4500));
    expect((await till.intents()).filter((line) => line.includes('B-1'))).toEqual([
      'ada B-1 60.00 pending',
      'ada B-1 15.00 parked not-a-member',
    ]);
    expect((await till.amounts())[0]).toBe('60.00');
  });
});
