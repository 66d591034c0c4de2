import { OpenTransactionWatch, transactionAgeMsMax } from './open-transactions.js';

const ends = (end: number, stable: number): Parameters<OpenTransactionWatch['looked']>[0] => [
  { topic: 'purchases', partition: 1, end, stable },
];

it('tells of a partition that cannot be read any further for a minute, as new once', () => {
  const watch = new OpenTransactionWatch();
  expect(watch.looked(ends(9, 5), 0)).toEqual([]);
  expect(watch.looked(ends(20, 5), transactionAgeMsMax - 1)).toEqual([]);
  const hidden = { topic: 'purchases', partition: 1, end: 30, stable: 5, ageMs: transactionAgeMsMax, isNew: true };
  expect(watch.looked(ends(30, 5), transactionAgeMsMax)).toEqual([hidden]);
  expect(watch.looked(ends(30, 5), transactionAgeMsMax + 1)).toMatchObject([{ isNew: false }]);
  expect(watch.looked(ends(30, 30), transactionAgeMsMax + 2)).toEqual([]);
});

it('does not take one transaction after the other for one that stays open', () => {
  const watch = new OpenTransactionWatch();
  for (let look = 0; look < 10; look += 1) {
    expect(watch.looked(ends(10 + look, 5 + look), look * transactionAgeMsMax)).toEqual([]);
  }
});

it('begins anew with a partition that was not ours in between', () => {
  const watch = new OpenTransactionWatch();
  watch.looked(ends(9, 5), 0);
  watch.looked([], 1);
  expect(watch.looked(ends(9, 5), transactionAgeMsMax)).toEqual([]);
});
