import { takes } from './cell.js';

const membersCount = 20_000;
const place = { topic: 'loyalty.purchases', partition: 0, offset: 0 };

describe('cells', () => {
  it.each([2, 3, 16])('%d of them have a fair share of the members', (count) => {
    const shares = Array.from({ length: count }, () => 0);
    for (let number = 0; number < membersCount; number += 1) {
      const member = { program: 'coffee-club', memberId: `m_${number}` };
      const takers = shares.flatMap((_, index) => (takes({ index, count }, member, place) ? [index] : []));
      expect(takers).toHaveLength(1);
      for (const index of takers) shares[index] = (shares[index] ?? 0) + 1;
    }
    const fair = membersCount / count;
    for (const share of shares) expect(Math.abs(share - fair)).toBeLessThan(5 * Math.sqrt(fair));
  });

  it('take a member whatever the record that names it, and by its program too', () => {
    const taken = (program: string, offset: number): boolean =>
      takes({ index: 0, count: 2 }, { program, memberId: 'm_1' }, { ...place, offset });
    expect(new Set([1, 2, 3, 4, 5, 6, 7, 8].map((offset) => taken('coffee-club', offset))).size).toBe(1);
    expect(new Set(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((program) => taken(program, 1))).size).toBe(2);
  });
});
