/** An amount as the API has it. */
interface Money {
  readonly minor: number;
  readonly currency: string | null;
}

const digitsByCurrency = new Map<string, number | null>();

/** The digits after the point by ISO 4217; null for what is no currency. */
function digitsOf(currency: string): number | null {
  const known = digitsByCurrency.get(currency);
  if (known !== undefined) return known;
  const digits = lookedUpDigits(currency);
  digitsByCurrency.set(currency, digits);
  return digits;
}

function lookedUpDigits(currency: string): number | null {
  try {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
    return maximumFractionDigits ?? null;
  } catch {
    return null;
  }
}

/** Exact: minor units are whole numbers, and no division is made. */
function decimal(minor: number, digits: number): string {
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const sign = minor < 0 ? '-' : '';
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`;
}

/** Such as `12.50 EUR`. */
export function moneyText({ minor, currency }: Money): string {
  const digits = currency === null ? null : digitsOf(currency);
  if (digits === null) return `${minor} minor units${currency === null ? '' : ` of ${currency}`}`;
  return `${decimal(minor, digits)} ${currency ?? ''}`;
}

/** Several amounts, each in its currency. */
export function moneysText(moneys: readonly Money[]): string {
  return moneys.map(moneyText).join(', ');
}
