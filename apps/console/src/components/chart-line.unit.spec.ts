import { lonePoints } from './chart-line.js';

it('regression: what no line leads to is drawn as a point: one minute between two that nobody knows was not seen', () => {
  expect(lonePoints([7, null, 0, null, 1, 2, null, 3])).toEqual([0, 2, 7]);
  expect(lonePoints([5])).toEqual([0]);
  expect(lonePoints([null, undefined])).toEqual([]);
  expect(lonePoints([1, 2, 3])).toEqual([]);
});
