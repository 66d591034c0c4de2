import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { Till } from '../testing/till.js';

let till: Till;

afterEach(() => till.close());

const on = (day: number): object => ({ time: `2025-11-0${day}T09:00:00Z` });
const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const enrolled = (day: number): EventSketch => ({
  ...{ id: `e-${day}`, name: 'loyalty.member.enrolled.v1', frame: on(day) },
  data: { memberId: 'ada' },
});
const left: EventSketch = {
  ...{ id: 'l', name: 'loyalty.member.opted-out.v1', frame: on(5) },
  data: { memberId: 'ada', scope: 'program' },
};
const refund: EventSketch = {
  ...{ id: 'r', name: 'loyalty.purchase.refunded.v1', frame: on(3) },
  data: { memberId: 'ada', refundId: 'R-1', purchaseId: 'B-1', total: money(2000) },
};
const sale: EventSketch = {
  ...{ id: 's', name: 'loyalty.purchase.completed.v1', frame: on(2) },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money(6000) },
};

const voided: EventSketch = {
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: on(4) },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money(6000) },
};

const sold = async (): Promise<string[]> =>
  (await till.intents()).flatMap((line) => (line.includes('B-1') ? [line.split(' ').slice(2).join(' ')] : []));

it('regression: a return whose sale was sent while its member was away is sent once they are back', async () => {
  till = await Till.open(testPrograms());
  await till.sends(enrolled(1));
  await till.delivers();
  await till.sends(refund);
  await till.sends(left, sale);
  await till.delivers();
  expect(await sold()).toEqual(['20.00 parked missing-purchase', '60.00 delivered']);
  await till.sends(enrolled(7));
  await till.delivers();
  expect(await sold()).toEqual(['20.00 delivered', '60.00 delivered']);
});

it('regression: a void that waited for a return which was settled while its member was away is sent once they are back', async () => {
  till = await Till.open(
    testPrograms(['completed:', 'voided: { transactionTypeId: "33", sign: -1 }\n      completed:']),
  );
  await till.sends(enrolled(1), sale);
  await till.delivers();
  await till.sends(refund, voided);
  const end = await till.begins();
  await end('doubt');
  await till.sends(left);
  await till.cancels('ada', 3, true);
  await till.delivers();
  expect((await sold()).slice(1)).toEqual(['20.00 cancelled operator', '40.00 parked conflict']);
  await till.sends(enrolled(7));
  await till.delivers();
  expect((await sold()).slice(1)).toEqual(['20.00 cancelled operator', '40.00 delivered']);
  expect((await till.amounts()).filter((amount) => amount !== null).slice(2)).toEqual(['-60.00']);
});
