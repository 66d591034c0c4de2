import { areRecorded, recoveredPerMinute } from './recovery.js';

const look = (at: number, ...nextOffsets: number[]) => ({ at, nextOffsets });
/** After each of them lies the mark of a transaction, which may be passed over or not. */
const spans = [
  { first: 10, next: 110 },
  { first: 20, next: 120 },
];

describe('how fast a lag is caught up with', () => {
  it('counts from the first look that saw some to the first that saw all, without what the first one saw', () => {
    const looks = [
      look(0, 10, 20),
      look(1_000, 50, 20),
      look(2_000, 110, 80),
      look(3_000, 111, 120),
      look(9_000, 111, 121),
    ];
    expect(recoveredPerMinute(looks, spans)).toBe((60_000 * 160) / 2_000);
  });

  it('is not known where not all is recorded', () => {
    const looks = [look(0, 50, 20), look(1_000, 111, 119)];
    expect(looks.map((each) => areRecorded(each, spans))).toEqual([false, false]);
    expect(recoveredPerMinute(looks, spans)).toBeNaN();
  });

  it('is over where all is recorded, and not before anybody looked', () => {
    expect([look(0, 110, 120), undefined].map((each) => areRecorded(each, spans))).toEqual([true, false]);
  });
});
