import fc from 'fast-check';

import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

/** What tills tell of one receipt: a sale of 60.00, refunds and corrections by small numbers, what takes them back. */
interface Saying {
  readonly kind: 'sale' | 'refund' | 'void' | 'void-of-refund' | 'correction';
  readonly of: number;
  readonly isWithoutCard: boolean;
}

/** In which order it is read, in chunks of how many, and after which of them the partner is served. */
interface Reading {
  readonly order: readonly number[];
  readonly chunk: number;
  readonly isServed: readonly ('not' | 'answer' | 'refusal')[];
}

const sold = 6000;
const sayingsMax = 7;
const refunds = [1000, 2500, 4000, 6000] as const;
/** From which total to which; the last knows nothing of the others. */
const corrections = [
  [sold, 4500],
  [4500, 7000],
  [7000, 3000],
  [sold, 5000],
] as const;

const saying = fc.record<Saying>({
  kind: fc.constantFrom('sale', 'refund', 'refund', 'void', 'void-of-refund', 'correction', 'correction'),
  of: fc.nat(refunds.length - 1),
  isWithoutCard: fc.boolean(),
});

const told = fc.record({
  sayings: fc.array(saying, { minLength: 1, maxLength: sayingsMax }),
  reading: fc.record<Reading>({
    order: fc.array(fc.nat(1_000), { minLength: sayingsMax + 1, maxLength: sayingsMax + 1 }),
    chunk: fc.integer({ min: 1, max: 4 }),
    isServed: fc.array(fc.constantFrom('not', 'answer', 'refusal'), {
      minLength: sayingsMax + 1,
      maxLength: sayingsMax + 1,
    }),
  }),
});

let till: Till;
let runs = 0;

beforeAll(async () => {
  const voids =
    'voided: { transactionTypeId: "33", sign: -1 }\n      refundVoided: { transactionTypeId: "34" }\n      corrected: { transactionTypeId: "35" }';
  till = await Till.open(testPrograms(['completed:', `${voids}\n      completed:`]));
});

afterAll(() => till.close());

const money = (minor: number): { readonly total: object } => ({ total: { minor, currency: 'EUR', digits: 2 } });

/** One receipt of one member, whom no other run has. */
class Receipt {
  readonly member = `m-${(runs += 1)}`;
  private readonly number = `B-${runs}`;

  event({ kind, of, isWithoutCard }: Saying): EventSketch {
    const memberId = isWithoutCard ? undefined : this.member;
    const refundId = `R-${this.number}-${of}`;
    const ofSale = { memberId, purchaseId: this.number };
    switch (kind) {
      case 'sale':
        return this.sketch('completed', `s-${memberId ?? ''}`, '09:00', { ...ofSale, ...money(sold) });
      case 'refund':
        return this.sketch('refunded', `r-${of}`, `09:1${of}`, { ...ofSale, refundId, ...money(refunds[of] ?? 0) });
      case 'void':
        return this.sketch('voided', 'v', '09:20', { ...ofSale, ...money(sold) });
      case 'void-of-refund': {
        const data = { memberId, purchaseId: `V-${this.number}-${of}`, original: { refundId } };
        return this.sketch('voided', `w-${of}`, `09:3${of}`, { ...data, ...money(refunds[of] ?? 0) });
      }
      case 'correction': {
        const [from = 0, to = 0] = corrections[of] ?? [];
        const data = { ...ofSale, correctionId: `C-${this.number}-${of}`, previousTotal: money(from).total };
        return this.sketch('corrected', `c-${of}`, `09:0${of + 1}`, { ...data, ...money(to) });
      }
    }
  }

  private sketch(
    what: 'completed' | 'refunded' | 'voided' | 'corrected',
    id: string,
    time: string,
    data: object,
  ): EventSketch {
    return { id: `${id} ${this.number}`, name: `loyalty.purchase.${what}.v1`, frame: at(time), data };
  }
}

const heldText = `
SELECT COALESCE(sum(CASE WHEN i.event_type = 'loyalty.purchase.completed.v1' OR i.purchase_id LIKE 'V-%' THEN amount_now(i.lane_id, i.seq, i.amount)
  ELSE COALESCE(i.corrected_total - i.previous_total, -i.amount) END), 0)::float8
  AS held, array_agg(i.event_type || ' ' || amount_now(i.lane_id, i.seq, i.amount) || ' ' || COALESCE(s.status || ' ' || COALESCE(s.reason, ''), 'delivered') ORDER BY i.seq) AS all
FROM intent i JOIN member m USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq)
WHERE m.member_id = $1 AND (s.seq IS NULL OR NOT $2::boolean)`;

interface Held {
  readonly held: number;
  readonly all: readonly string[] | null;
}

async function look(member: string, isDelivered: boolean): Promise<Held> {
  const statement = { name: `spec held ${isDelivered}`, text: heldText };
  const { rows } = await till.database.execute<Held>(statement, [member, isDelivered]);
  return rows[0] ?? { held: 0, all: [] };
}

async function read(events: readonly EventSketch[], { chunk, isServed }: Reading): Promise<void> {
  for (let first = 0; first < events.length; first += chunk) {
    await till.sends(...events.slice(first, first + chunk));
    const served = isServed[first] ?? 'not';
    if (served !== 'not') await till.delivers(served);
  }
  await till.delivers();
}

/** What is left of the receipt by what was told, each thing once: what takes back comes after its sale. */
function leftBy(sayings: readonly Saying[]): number {
  const has = (kind: Saying['kind'], of: number): boolean => sayings.some((one) => one.kind === kind && one.of === of);
  if (!sayings.some(({ kind }) => kind === 'sale') || sayings.some(({ kind }) => kind === 'void')) return 0;
  const back = refunds.map((minor, of) => (has('refund', of) && !has('void-of-refund', of) ? minor : 0));
  return changed(sayings).reduce((sum, by) => sum + by, sold) - back.reduce((sum: number, minor) => sum + minor, 0);
}

/** By how much the corrections that were told change the total, each once. */
function changed(sayings: readonly Saying[]): number[] {
  return corrections.flatMap(([from, to], of) =>
    sayings.some(({ kind, of: which }) => kind === 'correction' && which === of) ? [to - from] : [],
  );
}

/** What the partner may hold at most. */
const mostBy = (sayings: readonly Saying[]): number =>
  changed(sayings).reduce((most, by) => most + Math.max(by, 0), sold) / 100;

describe('whatever tills tell of a receipt, in whatever order, however often', () => {
  it('the partner holds between nothing and what was sold, what the receipt says, and the same told again changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(told, async ({ sayings, reading }) => {
        const receipt = new Receipt();
        const events = sayings.map((one) => receipt.event(one));
        const shuffled = events
          .map((event, index) => ({ event, rank: reading.order[index] ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ event }) => event);
        await read(shuffled, reading);
        const [held, stands] = [await look(receipt.member, true), await look(receipt.member, false)];
        expect(held.held).toBeGreaterThanOrEqual(0);
        expect(held.held).toBeLessThanOrEqual(mostBy(sayings));
        const isOpen = stands.all?.some((line) => line.includes('parked')) === true;
        const isPlain = !isOpen && sayings.every(({ isWithoutCard }) => !isWithoutCard);
        if (isPlain) expect(held.held).toBe(leftBy(sayings) / 100);
        // Of a sale that nobody told, a person who sends its returns says what they are.
        const isTold = sayings.some(({ kind, isWithoutCard }) => kind === 'sale' && !isWithoutCard);
        if (isTold) await till.replays(receipt.member);
        await till.delivers();
        const { held: after } = await look(receipt.member, true);
        expect(after).toBeGreaterThanOrEqual(0);
        expect(after).toBeLessThanOrEqual(mostBy(sayings));
        const settled = await look(receipt.member, false);
        await read(shuffled, reading);
        expect(await look(receipt.member, false)).toEqual(settled);
      }),
      { numRuns: 40 },
    );
  });
});
