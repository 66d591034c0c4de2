/** What is known of a receipt when something of it is recorded. Amounts are exact decimals without a sign, in its currency. */
export interface Receipt {
  /** What was paid; null: not known any more, it has left the history. */
  readonly sold: string | null;
  /** What came back, as far as it is not proved that it did not; a sale that was cancelled came back whole. */
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
  const text = String(units).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
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
  if (amount === null) return { sold, back };
  const { units, digits } = scaled([back, amount]);
  return {
    sold,
    back: textOf(
      units.reduce((sum, unit) => sum + unit),
      digits,
    ),
  };
}
