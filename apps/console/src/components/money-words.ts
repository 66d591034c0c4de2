export interface Amount {
  readonly minor: number;
  readonly currency: string;
  /** How many digits of `minor` stand behind the decimal point: the event's, never what a library holds a currency to have. */
  readonly digits: number;
}

/** `EUR 1,012.50`: the code, not a sign, since `$` is many currencies'. */
export function moneyText({ minor, currency, digits }: Amount): string {
  const text = BigInt(Math.abs(minor))
    .toString()
    .padStart(digits + 1, '0');
  const point = text.length - digits;
  const whole = BigInt(text.slice(0, point)).toLocaleString('en');
  return `${minor < 0 ? '-' : ''}${currency} ${whole}${digits === 0 ? '' : `.${text.slice(point)}`}`;
}

const atScale = ({ minor, digits }: Amount, scale: number): bigint => BigInt(minor) * 10n ** BigInt(scale - digits);

/** The sum of each currency, those of other digits brought to the most of them; the most first. */
export function sumByCurrency(amounts: readonly Amount[]): readonly Amount[] {
  const sums = [...Map.groupBy(amounts, ({ currency }) => currency)].map(([currency, same]) => {
    const digits = Math.max(...same.map((amount) => amount.digits));
    const minor = Number(same.reduce((sum, amount) => sum + atScale(amount, digits), 0n));
    return { minor, currency, digits };
  });
  return sums.toSorted((one, two) => two.minor / 10 ** two.digits - one.minor / 10 ** one.digits);
}
