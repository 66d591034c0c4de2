import { PageRows } from './page-rows.js';

const rows = new PageRows([[1, 2], [], [3], [], [4, 5, 6], []].map((items) => ({ items })));
const all = [1, 2, 3, 4, 5, 6];

it('has the rows of all pages in their order, and no others', () => {
  expect(rows.length).toBe(all.length);
  expect(all.map((_, index) => rows.at(index))).toEqual(all);
  expect([rows.at(-1), rows.at(all.length)]).toEqual([undefined, undefined]);
});

it('says where one is', () => {
  expect(all.map((row) => rows.findIndex((one) => one === row))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(rows.findIndex((one) => one === 7)).toBe(-1);
});

it('is empty where nothing was read', () => {
  expect([new PageRows([]).length, new PageRows([]).at(0)]).toEqual([0, undefined]);
});
