import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

let till: Till;
const mapped = `voided: { transactionTypeId: "33", sign: -1 }
      refundVoided: { transactionTypeId: "34" }
      corrected: { transactionTypeId: "35" }
      completed:`;

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (minor = 6000): EventSketch => ({
  ...{ id: 's-1', name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money(minor) },
});
const corrected = (id: string, from: number, to: number): EventSketch => ({
  ...{ id: `c-${id}`, name: 'loyalty.purchase.corrected.v1', frame: at('09:10') },
  data: { memberId: 'ada', correctionId: `C-${id}`, purchaseId: 'B-1', previousTotal: money(from), total: money(to) },
});
const refund = (id: string, minor: number): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId: 'ada', refundId: `R-${id}`, purchaseId: 'B-1', total: money(minor) },
});
const refundVoided = (id: string, minor: number): EventSketch => ({
  ...{ id: `v-${id}`, name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'ada', purchaseId: `V-${id}`, original: { refundId: `R-${id}` }, total: money(minor) },
});
const voided = (): EventSketch => ({
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money(6000) },
});

describe('what has waited for its sale', () => {
  beforeEach(async () => {
    till = await Till.open(testPrograms(['completed:', mapped]));
  });

  it('regression: is refused by the receipt once that is there, and does not count any more', async () => {
    await till.sendsBy('in a chunk each', [refund('1', 2500), refund('2', 4000), sale(), refund('3', 3500)]);
    expect((await till.intents())[3]).toBe('ada B-1 35.00 parked over-refund');
    await till.delivers();
    expect(await till.intents()).toEqual([
      'ada B-1 25.00 delivered',
      'ada B-1 40.00 parked over-refund',
      'ada B-1 60.00 delivered',
      'ada B-1 35.00 delivered',
    ]);
    expect(await till.reasons()).toContain('sold 60.00, back 25.00, asked 40.00');
  });

  it('regression: is in conflict with it where it corrects another total', async () => {
    await till.sends(corrected('1', 5000, 4000), corrected('2', 6000, 5500), sale());
    await till.delivers();
    expect(await till.intents()).toEqual([
      'ada B-1 10.00 parked conflict',
      'ada B-1 5.00 delivered',
      'ada B-1 60.00 delivered',
    ]);
  });
});

describe('a return of more than is left', () => {
  beforeEach(async () => {
    till = await Till.open(testPrograms(['completed:', mapped]));
  });

  it('regression: is sent once what raises its sale is delivered, as far as that goes', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(refund('1', 7000), refund('2', 7000), corrected('1', 6000, 8000));
    expect((await till.intents()).slice(1, 3)).toEqual([
      'ada B-1 70.00 parked over-refund',
      'ada B-1 70.00 parked over-refund',
    ]);
    await till.delivers();
    expect((await till.intents()).slice(1)).toEqual([
      'ada B-1 70.00 delivered',
      'ada B-1 70.00 parked over-refund',
      'ada B-1 20.00 delivered',
    ]);
  });

  it('regression: is sent, too, where the raise is known to be there by evidence alone', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(corrected('1', 6000, 7000), refund('1', 7000));
    await till.delivers('evidence');
    await till.delivers();
    expect((await till.intents()).slice(1)).toEqual(['ada B-1 10.00 delivered', 'ada B-1 70.00 delivered']);
  });

  it('regression: goes behind its sale that says the raise itself', async () => {
    await till.sends(sale(), refund('1', 7000), corrected('1', 6000, 7000));
    expect((await till.intents())[1]).toBe('ada B-1 70.00 pending');
    await till.delivers();
    expect(await till.amounts()).toEqual(['70.00', '-70.00', '10.00']);
    expect((await till.intents()).slice(0, 2)).toEqual(['ada B-1 60.00 delivered', 'ada B-1 70.00 delivered']);
  });

  it('regression: is sent once another return of its sale was voided, in time or too late', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(refund('1', 4000), refund('2', 4000), refundVoided('1', 4000));
    await till.delivers();
    expect((await till.intents()).slice(1)).toEqual(['ada B-1 40.00 cancelled voided', 'ada B-1 40.00 delivered']);
    await till.sends(refund('3', 6000), refundVoided('2', 4000));
    await till.delivers();
    expect((await till.intents()).slice(3)).toEqual(['ada B-1 60.00 delivered', 'ada V-2 40.00 delivered']);
  });

  it('stays for a person where its sale was voided, or a person gave up another return', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(refund('1', 4000), refund('2', 4000));
    await till.cancels('ada', 2);
    await till.delivers();
    expect((await till.intents())[2]).toBe('ada B-1 40.00 parked over-refund');
    await till.sends(voided());
    await till.delivers();
    expect((await till.intents()).slice(2)).toEqual(['ada B-1 40.00 parked over-refund', 'ada B-1 60.00 delivered']);
  });
});
