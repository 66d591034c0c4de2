import { type TimeMark, timeMarkTexts } from './chart-times.js';

const at = (time: string): number => Date.parse(`${time}Z`) / 1_000;
const marks = (times: readonly string[], apartPx: number): readonly TimeMark[] =>
  times.map((time, index) => ({ at: at(time), px: 48 + index * apartPx }));
const texts = (times: readonly string[], apartPx: number): readonly string[] =>
  timeMarkTexts(marks(times, apartPx), 'utc');

it('writes the day below the first mark of it', () => {
  expect(texts(['2026-11-26T22:00:00', '2026-11-26T23:00:00', '2026-11-27T00:00:00'], 80)).toEqual([
    '22:00\n2026-11-26',
    '23:00',
    '00:00\n2026-11-27',
  ]);
});

it('regression: two days do not run into each other at midnight: the one that begins is named', () => {
  expect(texts(['2026-11-26T23:55:00', '2026-11-27T00:00:00', '2026-11-27T00:05:00'], 60)).toEqual([
    '23:55',
    '00:00\n2026-11-27',
    '00:05',
  ]);
});

it('names seconds where marks are closer than minutes', () => {
  expect(texts(['2026-11-27T00:00:00', '2026-11-27T00:00:30'], 80)).toEqual(['00:00:00\n2026-11-27', '00:00:30']);
});
