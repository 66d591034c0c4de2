import type { MoneyView } from '#contracts';

/**
 * An amount, or a sum, with the digits that it has.
 * @param amount exact decimal text as Postgres writes a `numeric`, `5999.00`: a sum has the digits of its longest part
 */
export function toMoneyView(amount: string, currency: string): MoneyView {
  const point = amount.indexOf('.');
  const digits = point === -1 ? 0 : amount.length - point - 1;
  return { minor: Number(amount.replace('.', '')), currency, digits };
}

/** Sums of exact decimals, by currency. */
export class MoneySum {
  private readonly sums = new Map<string, { minor: bigint; digits: number }>();

  /** @param amount exact decimal text; null: it names none */
  add({ amount, currency }: { readonly amount: string | null; readonly currency: string | null }): void {
    if (amount === null || currency === null) return;
    const point = amount.indexOf('.');
    const digits = point === -1 ? 0 : amount.length - point - 1;
    const sum = this.sums.get(currency) ?? { minor: 0n, digits: 0 };
    const most = Math.max(sum.digits, digits);
    const minor = BigInt(amount.replace('.', '')) * 10n ** BigInt(most - digits);
    this.sums.set(currency, { minor: sum.minor * 10n ** BigInt(most - sum.digits) + minor, digits: most });
  }

  /** The most first. */
  views(): MoneyView[] {
    const views = [...this.sums].map(([currency, { minor, digits }]) => ({ minor: Number(minor), currency, digits }));
    return views.toSorted((one, other) => other.minor / 10 ** other.digits - one.minor / 10 ** one.digits);
  }
}
