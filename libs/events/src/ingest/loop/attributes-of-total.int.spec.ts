import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

/** The file maps cents, and a text made of them, of all that it maps. */
const cents = 'cents: total.minor, digits: total.digits, text: { join: [purchaseId, total.minor] }';
const others = `voided: { transactionTypeId: "33", sign: -1, attributes: { ${cents} } }
      corrected: { transactionTypeId: "35", attributes: { ${cents} } }
      completed:`;
const mapped = [
  ['completed:', others],
  ['store: storeId, receipt: purchaseId', `${cents}, receipt: purchaseId`],
  ['receipt: refundId, of: purchaseId', `receipt: refundId, ${cents}`],
] as const;

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (minor = 6000, memberId: string | null = 'ada'): EventSketch => ({
  ...{ id: `s-${memberId}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId, purchaseId: 'B-1', total: money(minor) },
});
const corrected = (id: string, from: number, to: number): EventSketch => ({
  ...{ id: `c-${id}`, name: 'loyalty.purchase.corrected.v1', frame: at('09:10') },
  data: { memberId: 'ada', correctionId: `C-${id}`, purchaseId: 'B-1', previousTotal: money(from), total: money(to) },
});
const refund = (id: string, minor: number, memberId: string | null = 'ada'): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId, refundId: `R-${id}`, purchaseId: 'B-1', total: money(minor) },
});
const voided = (minor: number): EventSketch => ({
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money(minor) },
});

/** Amount, and what the attributes say of it, of each. */
async function said(): Promise<string[]> {
  return (await till.commands()).map((command) => {
    if (command?.operation !== 'transaction') return 'no call';
    const { cents: minor, digits, text } = command.attributes;
    return [command.amount, ...[minor, digits, text].map(String)].join(' ');
  });
}

describe('attributes that the file maps from the total', () => {
  beforeEach(async () => {
    till = await Till.open(testPrograms(...mapped));
  });

  it.each(waysToSend)('regression: go with a total that is corrected before the sale has left, %s', async (way) => {
    await till.sendsBy(way, [sale(), corrected('1', 6000, 4500), corrected('2', 4500, 700)]);
    expect((await said())[0]).toBe('7.00 700 2 B%2D1-700');
  });

  it('regression: go with an amount that a person says', async () => {
    await till.sends(sale());
    await till.delivers('refusal');
    expect(await till.corrects('ada', 1, '50')).toBeNull();
    expect(await said()).toEqual(['50 5000 2 B%2D1-5000']);
    await till.replays('ada');
    await till.delivers();
    await till.sends(corrected('1', 5000, 4000));
    expect(await till.corrects('ada', 2, '-20.00')).toBeNull();
    expect((await said())[1]).toBe('-20.00 3000 2 B%2D1-3000');
  });

  it('regression: go with what is left for a void', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(refund('1', 1250));
    await till.delivers();
    await till.sends(voided(6000));
    expect((await said()).slice(1)).toEqual(['-12.50 1250 2 B%2D1-1250', '-47.50 4750 2 B%2D1-4750']);
  });

  it('regression: go with what a void takes once a person sends it', async () => {
    await till.sends(sale(), refund('1', 1000));
    await till.delivers();
    await till.sends(refund('2', 2000), voided(6000));
    expect((await said())[3]).toBe('-30.00 3000 2 B%2D1-3000');
    await till.cancels('ada', 3);
    expect(await till.replays('ada')).toEqual([]);
    expect((await said())[3]).toBe('-50.00 5000 2 B%2D1-5000');
  });

  it('regression: go with what is left for who claims a sale', async () => {
    await till.sends(sale(5000, null), refund('1', 2000, null), sale(5000));
    expect(await said()).toEqual(['30.00 3000 2 B%2D1-3000']);
  });
});

describe('attributes that a file maps later from the total', () => {
  beforeEach(async () => {
    till = await Till.open(testPrograms(mapped[0]));
  });

  it('regression: say what the sale was corrected to', async () => {
    await till.sends(sale(), corrected('1', 6000, 4500));
    till.reloads(testPrograms(...mapped));
    expect(await till.plans('ada', 1)).toMatchObject({ amount: '45.00', attributes: { cents: 4500 } });
  });

  it('regression: say what was left for a void', async () => {
    await till.sends(sale());
    await till.delivers();
    await till.sends(refund('1', 1250));
    await till.delivers();
    till.reloads(testPrograms());
    await till.sends(voided(6000));
    till.reloads(testPrograms(...mapped));
    expect(await till.replays('ada')).toEqual([]);
    expect((await said())[2]).toBe('-47.50 4750 2 B%2D1-4750');
  });
});
