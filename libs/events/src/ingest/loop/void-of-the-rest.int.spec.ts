import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

let till: Till;
const mapped = `voided: { transactionTypeId: "33", sign: -1 }
      refundVoided: { transactionTypeId: "34" }
      corrected: { transactionTypeId: "35" }
      completed:`;

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale: EventSketch = {
  ...{ id: 's', name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money(6000) },
};
const refund = (id: string, minor: number): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId: 'ada', refundId: `R-${id}`, purchaseId: 'B-1', total: money(minor) },
});
const voided = (minor = 6000): EventSketch => ({
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money(minor) },
});
const refundVoided: EventSketch = {
  ...{ id: 'w', name: 'loyalty.purchase.voided.v1', frame: at('09:35') },
  data: { memberId: 'ada', purchaseId: 'V-1', original: { refundId: 'R-1' }, total: money(2000) },
};
const corrected: EventSketch = {
  ...{ id: 'c', name: 'loyalty.purchase.corrected.v1', frame: at('09:20') },
  data: { memberId: 'ada', correctionId: 'C-1', purchaseId: 'B-1', previousTotal: money(6000), total: money(7000) },
};

/** What became of all but the sale, and what each says that it is of. */
async function standing(): Promise<readonly string[]> {
  const [lines, amounts] = [await till.intents(), await till.amounts()];
  return lines.map((line, index) => `${amounts[index]} ${line.split(' ').slice(3).join(' ')}`).slice(1);
}

beforeEach(async () => {
  till = await Till.open(testPrograms(['completed:', mapped]));
  await till.sends(sale);
  await till.delivers();
});

afterEach(() => till.close());

describe('regression: a void that comes too late, while something of its sale is open,', () => {
  it.each(['answer', 'evidence'] as const)('takes the rest by itself once a refund is there (by %s)', async (by) => {
    await till.sends(refund('1', 2000), voided());
    expect(await standing()).toEqual(['-20.00 pending', '-40.00 parked conflict']);
    await till.delivers(by);
    expect(await standing()).toEqual(['-20.00 delivered', '-40.00 delivered']);
  });

  it('takes all once the partner has refused a refund', async () => {
    await till.sends(refund('1', 2000), voided());
    const end = await till.begins();
    await end('refusal');
    await till.delivers();
    expect(await standing()).toEqual(['-20.00 parked rejected', '-60.00 delivered']);
  });

  it('waits as long as a refund is in doubt, and takes all where that is not there', async () => {
    await till.sends(refund('1', 2000), voided());
    const end = await till.begins();
    await end('doubt');
    await till.delivers();
    expect(await standing()).toEqual(['-20.00 parked unknown-outcome', '-40.00 parked conflict']);
    await till.cancels('ada', 2, true);
    await till.delivers();
    expect(await standing()).toEqual(['-20.00 cancelled operator', '-60.00 delivered']);
  });

  it('takes the rest where a person says that a refund is there', async () => {
    await till.sends(refund('1', 2000), voided());
    const end = await till.begins();
    await end('doubt');
    await till.resolves('ada', 2);
    await till.delivers();
    expect(await standing()).toEqual(['-20.00 delivered', '-40.00 delivered']);
  });

  it('is over where all has come back', async () => {
    await till.sends(refund('1', 6000), voided());
    await till.delivers();
    expect(await standing()).toEqual(['-60.00 delivered', '-60.00 cancelled nothing-to-take-back']);
  });

  it('waits for all that is open, and takes what a correction and the void of a refund have added', async () => {
    await till.sends(refund('1', 2000));
    await till.delivers();
    await till.sends(corrected, refundVoided, voided(7000));
    expect((await standing())[3]).toContain('parked conflict');
    const end = await till.begins();
    await end('answer');
    expect((await standing())[3]).toContain('parked conflict');
    await till.delivers();
    expect(await standing()).toEqual(['-20.00 delivered', '10.00 delivered', '20.00 delivered', '-70.00 delivered']);
  });

  it('is for a person where it names another total', async () => {
    await till.sends(refund('1', 2000), voided(5000));
    await till.delivers();
    expect(await standing()).toEqual(['-20.00 delivered', '-40.00 parked conflict']);
  });

  it('is for a person who has said how much', async () => {
    await till.sends(refund('1', 2000), voided());
    expect(await till.corrects('ada', 3, '-10.00')).toBeNull();
    await till.delivers();
    expect(await standing()).toEqual(['-20.00 delivered', '-10.00 parked conflict']);
  });
});
