import fc from 'fast-check';

import type { Receipt } from './account.js';
import { decideTakingBack, evolveReceipt } from './account.js';

const cents = (text: string): bigint => BigInt(text.replace('.', ''));
const text = (minor: number): string => (minor / 100).toFixed(2);

describe('a receipt', () => {
  it.each<[Receipt, string | null, object]>([
    [{ sold: '60.00', back: '0' }, '60.00', { kind: 'take', amount: '60.00' }],
    [{ sold: '60.00', back: '40.00' }, '20.00', { kind: 'take', amount: '20.00' }],
    [{ sold: '60.00', back: '40.00' }, '20.01', { kind: 'over-refund', detail: 'sold 60.00, back 40.00, asked 20.01' }],
    [{ sold: '60.00', back: '40.00' }, null, { kind: 'take', amount: '20.00' }],
    [{ sold: '60.00', back: '60' }, null, { kind: 'nothing' }],
    [{ sold: '60.00', back: '60.000' }, '0.00', { kind: 'take', amount: '0.00' }],
    [{ sold: '5999', back: '0' }, '6000', { kind: 'over-refund', detail: 'sold 5999, back 0, asked 6000' }],
    [{ sold: '90071992547409.93', back: '0' }, '90071992547409.94', { kind: 'over-refund' }],
    [{ sold: '0.05', back: '0' }, null, { kind: 'take', amount: '0.05' }],
    [{ sold: null, back: '0' }, '7.00', { kind: 'take', amount: '7.00' }],
    [{ sold: null, back: '0' }, null, { kind: 'take', amount: null }],
  ])('%j, asked for %j', (receipt, amount, decision) => {
    expect(decideTakingBack(receipt, { amount })).toMatchObject(decision);
  });

  it('gives back what was paid at most, in any order and number of returns and voids', () => {
    const asked = fc.option(fc.integer({ min: 0, max: 9_000 }).map(text), { nil: null });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.array(asked, { maxLength: 30 }), (sold, commands) => {
        let receipt: Receipt = { sold: text(sold), back: '0.00' };
        let refused = 0n;
        for (const amount of commands) {
          const decision = decideTakingBack(receipt, { amount });
          if (decision.kind === 'take') receipt = evolveReceipt(receipt, decision);
          if (decision.kind === 'over-refund') refused += 1n;
          // Only the excess is refused: it fits as long as it does.
          if (amount !== null) {
            const left = BigInt(sold) - cents(receipt.back);
            expect(decision.kind === 'over-refund' ? cents(amount) > left : left >= 0n).toBe(true);
          }
        }
        expect(cents(receipt.back)).toBeLessThanOrEqual(BigInt(sold));
        expect(refused).toBeLessThanOrEqual(BigInt(commands.length));
      }),
    );
  });
});
