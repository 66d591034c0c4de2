/** What is known of a receipt when something of it is recorded. Amounts are exact decimals, in its currency. */
export interface Receipt {
  /** What was paid, as it was told first; null: not known any more, it has left the history. */
  readonly sold: string | null;
  /**
   * What came back, as far as it is not proved that it did not, and what corrections have taken off; less what voids of refunds and
   * corrections have given. A sale that was cancelled came back whole.
   */
  readonly back: string;
}

/** Something is taken back: an amount, or null: whatever is left. */
interface TakeBack {
  readonly amount: string | null;
}

type ReceiptDecision =
  /** `amount`: of what is left; null: not known. */
  | { readonly kind: 'take'; readonly amount: string | null }
  /** Nothing is left to take. */
  | { readonly kind: 'nothing' }
  /** More than is left was asked for. */
  | { readonly kind: 'over-refund'; readonly detail: string };

/** Exact decimals as integers of one scale, with that scale's digits. */
function scaled(texts: readonly string[]): { readonly units: readonly bigint[]; readonly digits: number } {
  const parts = texts.map((text) => text.split('.'));
  const digits = Math.max(...parts.map(([, fraction = '']) => fraction.length));
  return { units: parts.map(([whole = '', fraction = '']) => BigInt(whole + fraction.padEnd(digits, '0'))), digits };
}

function textOf(units: bigint, digits: number): string {
  if (units < 0n) return `-${textOf(-units, digits)}`;
  const text = String(units).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The sum of exact decimals, with as many digits as the longest of them has. */
export function sumOf(texts: readonly string[]): string {
  const { units, digits } = scaled(texts);
  return textOf(
    units.reduce((sum, unit) => sum + unit, 0n),
    digits,
  );
}

const negated = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

/** What a total is changed by, with its sign. */
export function changeOf({ previous, total }: TotalChange): string {
  return sumOf([total, negated(previous)]);
}

/** A receipt is an account: not more comes back than was paid: only the excess is refused. What takes back whatever is left takes just that. */
export function decideTakingBack({ sold, back }: Receipt, { amount }: TakeBack): ReceiptDecision {
  if (sold === null) return { kind: 'take', amount };
  const { units, digits } = scaled([sold, back, amount ?? '0']);
  const [paid = 0n, taken = 0n, asked = 0n] = units;
  const left = paid > taken ? paid - taken : 0n;
  if (amount === null) return left === 0n ? { kind: 'nothing' } : { kind: 'take', amount: textOf(left, digits) };
  if (asked <= left) return { kind: 'take', amount };
  return { kind: 'over-refund', detail: `sold ${sold}, back ${textOf(taken, digits)}, asked ${amount}` };
}

export function evolveReceipt({ sold, back }: Receipt, { amount }: TakeBack): Receipt {
  return { sold, back: amount === null ? back : sumOf([back, amount]) };
}

/** A sale's total is corrected: exact decimals without a sign, in its currency. */
export interface TotalChange {
  /** What it was, by the one who corrects it. */
  readonly previous: string;
  readonly total: string;
}

/** What is known of a sale when its total is corrected. */
export interface CorrectedSale {
  readonly receipt: Receipt;
  /** What it was by all that was told of it; null: not known any more. */
  readonly total: string | null;
  /** `untouched`: nothing of it can have taken effect. `taken-back`: it was voided, or never is sent. */
  readonly is: 'untouched' | 'sent' | 'taken-back';
}

type CorrectionDecision =
  /** The sale itself says so. */
  | { readonly kind: 'replace' }
  /** The difference goes behind it. */
  | { readonly kind: 'differ' }
  | { readonly kind: 'conflict' | 'over-refund'; readonly detail: string };

/** A correction is of what is known, and leaves what has come back. */
export function decideCorrecting({ receipt, total, is }: CorrectedSale, change: TotalChange): CorrectionDecision {
  if (is === 'taken-back') return { kind: 'conflict', detail: 'corrected, though its sale was taken back' };
  if (total !== null && !/^0*(\.0*)?$/.test(sumOf([total, negated(change.previous)]))) {
    return { kind: 'conflict', detail: `corrected from ${change.previous}, known is ${total}` };
  }
  const by = changeOf(change);
  const lowered = by.startsWith('-') ? decideTakingBack(receipt, { amount: negated(by) }) : null;
  if (lowered?.kind === 'over-refund') return lowered;
  return { kind: is === 'untouched' ? 'replace' : 'differ' };
}
