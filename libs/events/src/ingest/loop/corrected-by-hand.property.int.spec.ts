import fc from 'fast-check';

import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

/** What tills tell of one receipt of 60.00. */
type Saying =
  | { readonly kind: 'refund' | 'correction' | 'void-of-refund'; readonly of: number }
  | { readonly kind: 'sale' | 'void' };

/** What a person says of one of its transactions, as far as there are so many, or what the partner does. */
type Deed =
  | Saying
  | { readonly kind: 'replay' }
  | { readonly kind: 'by-hand'; readonly seq: number; readonly minor: number }
  | { readonly kind: 'serve'; readonly by: 'answer' | 'refusal' | 'doubt' };

const sold = 6000;
const refunds = [1000, 2500, 4000] as const;
const corrections = [
  [sold, 4500],
  [sold, 7000],
  [3000, 2000],
] as const;
const minors = [0, 1000, 2000, 4000, 9000] as const;

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constantFrom('refund', 'correction', 'void-of-refund'), of: fc.nat(refunds.length - 1) }),
  fc.record({ kind: fc.constantFrom('sale', 'void') }),
  fc.record({ kind: fc.constant('replay') }),
  fc.record({
    kind: fc.constant('by-hand'),
    seq: fc.constantFrom(1, 1, 2, 2, 3, 4),
    minor: fc.constantFrom(...minors),
  }),
  fc.record({ kind: fc.constant('serve'), by: fc.constantFrom('answer', 'answer', 'refusal', 'doubt') }),
);

let till: Till;
let runs = 0;

beforeAll(async () => {
  const calls =
    'voided: { transactionTypeId: "33", sign: -1 }\n      refundVoided: { transactionTypeId: "34" }\n      corrected: { transactionTypeId: "35" }';
  till = await Till.open(testPrograms(['completed:', `${calls}\n      completed:`]));
});

afterAll(() => till.close());

const money = (minor: number): { readonly total: object } => ({ total: { minor, currency: 'EUR', digits: 2 } });

/** One receipt of one member, whom no other run has. */
class Receipt {
  readonly member = `h-${(runs += 1)}`;
  private readonly number = `H-${runs}`;
  private told = 0;

  async do(deed: Deed): Promise<void> {
    if (deed.kind === 'serve') await till.delivers(deed.by);
    else if (deed.kind === 'replay') await till.replays(this.member);
    else if (deed.kind === 'by-hand') await this.correct(deed);
    else await till.sends(this.event(deed));
  }

  private async correct({ seq, minor }: Extract<Deed, { readonly kind: 'by-hand' }>): Promise<void> {
    const said = (await till.amounts(this.member))[seq - 1];
    if (said === undefined || said === null) return;
    await till.corrects(this.member, seq, `${said.startsWith('-') ? '-' : ''}${(minor / 100).toFixed(2)}`);
  }

  private event(deed: Saying): EventSketch {
    const ofSale = { memberId: this.member, purchaseId: this.number };
    switch (deed.kind) {
      case 'sale':
        return this.sketch('completed', '09:00', { ...ofSale, ...money(sold) });
      case 'void':
        return this.sketch('voided', '09:50', { ...ofSale, total: null });
      case 'refund': {
        const refundId = `R-${this.number}-${deed.of}`;
        return this.sketch('refunded', '09:30', { ...ofSale, refundId, ...money(refunds[deed.of] ?? 0) });
      }
      case 'void-of-refund': {
        const original = { refundId: `R-${this.number}-${deed.of}` };
        const data = { ...ofSale, purchaseId: `V-${this.number}-${deed.of}`, original };
        return this.sketch('voided', '09:40', { ...data, ...money(refunds[deed.of] ?? 0) });
      }
      case 'correction': {
        const [from = 0, to = 0] = corrections[deed.of] ?? [];
        const data = { ...ofSale, correctionId: `C-${this.number}-${deed.of}`, previousTotal: money(from).total };
        return this.sketch('corrected', '09:10', { ...data, ...money(to) });
      }
    }
  }

  private sketch(what: 'completed' | 'refunded' | 'voided' | 'corrected', time: string, data: object): EventSketch {
    const id = `${(this.told += 1)} ${this.number}`;
    return { id, name: `loyalty.purchase.${what}.v1`, frame: at(time), data };
  }
}

/** In cents what the partner holds at least: what gives counts where it is there, what takes where it may be. */
async function heldAtLeast(member: string): Promise<number> {
  const [lines, amounts] = [await till.intents(member), await till.amounts(member)];
  const counted = lines.map((line, index) => {
    const cents = Math.round(Number(amounts[index] ?? 0) * 100);
    if (line.endsWith(' delivered')) return cents;
    return line.endsWith(' unknown-outcome') ? Math.min(cents, 0) : 0;
  });
  return counted.reduce((sum, cents) => sum + cents, 0);
}

describe('whatever a person corrects of a receipt, and sends again', () => {
  it('not more comes back than is there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 14 }), async (deeds) => {
        const receipt = new Receipt();
        await receipt.do({ kind: 'sale' });
        for (const one of deeds) {
          await receipt.do(one);
          expect(await heldAtLeast(receipt.member)).toBeGreaterThanOrEqual(0);
        }
        await receipt.do({ kind: 'serve', by: 'answer' });
        await receipt.do({ kind: 'replay' });
        await receipt.do({ kind: 'serve', by: 'answer' });
        expect(await heldAtLeast(receipt.member)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 100 },
    );
  });
});
