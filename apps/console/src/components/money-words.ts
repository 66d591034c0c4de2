export interface Amount {
  readonly minor: number;
  /** Null: the event named none. */
  readonly currency: string | null;
}

/** `EUR 12.50`: the code, not a sign, since `$` is many currencies'. */
export function moneyText({ minor, currency }: Amount): string {
  if (currency === null) return `${minor.toLocaleString('en')} minor units`;
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
    const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
    return format.format(minor / 10 ** digits).replaceAll('\u00a0', ' ');
  } catch {
    // Not the code of a currency: shown as it came.
    return `${minor.toLocaleString('en')} minor units of ${currency}`;
  }
}
