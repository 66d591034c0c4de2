import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });

const enrolment = (id: string): EventSketch => ({
  ...{ id, name: 'loyalty.member.enrolled.v1', frame: at('08:00') },
  data: { memberId: 'ada' },
});
const sale = (purchaseId: string, minor: number): EventSketch => ({
  ...{ id: `s-${purchaseId}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId: 'ada', purchaseId, total: money(minor) },
});
const refund = (purchaseId: string, minor: number): EventSketch => ({
  ...{ id: `r-${purchaseId}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId: 'ada', refundId: `R-${purchaseId}`, purchaseId, total: money(minor) },
});
const grant: EventSketch = {
  ...{ id: 'g', name: 'loyalty.reward.granted.v1', frame: at('09:30') },
  data: { memberId: 'ada', grantId: 'g-1', purchaseId: undefined },
};

/** The card is gone at the partner, and the member asks for one. */
async function losesCard(id: string): Promise<void> {
  await till.losesCard('ada');
  await till.sends(enrolment(id));
  await till.delivers();
}

const lost = async (): Promise<string[]> => (await till.intents()).filter((line) => line.includes('card-replaced'));

it('what was delivered to a card that is gone stands in a list, less what came back', async () => {
  await till.sends(enrolment('e'), sale('B-1', 6000), sale('B-2', 2000), refund('B-1', 1500), grant);
  await till.delivers();
  await till.sends(sale('B-3', 700));
  await losesCard('again');
  expect(await lost()).toEqual(['ada 65.00 parked card-replaced']);
});

it('it is listed once, and what came since with the next card', async () => {
  await till.sends(enrolment('e'), sale('B-1', 6000));
  await till.delivers();
  await losesCard('again');
  await till.sends(sale('B-2', 500));
  await till.delivers();
  await losesCard('once more');
  expect(await lost()).toEqual(['ada 60.00 parked card-replaced', 'ada 5.00 parked card-replaced']);
});

it('where nothing was on it nothing is listed', async () => {
  await till.sends(enrolment('e'));
  await till.delivers();
  await losesCard('again');
  expect(await lost()).toEqual([]);
});

it('it stays for a person when the member leaves', async () => {
  await till.sends(enrolment('e'), sale('B-1', 6000));
  await till.delivers();
  await losesCard('again');
  await till.sends({
    ...{ id: 'o', name: 'loyalty.member.opted-out.v1', frame: at('10:00') },
    data: { memberId: 'ada', scope: 'program' },
  });
  expect(await lost()).toEqual(['ada 60.00 parked card-replaced']);
});
