import type { Money } from '#contracts';

/** ISO 4217 minor units, where they are not 2. */
const digitsByCurrency = new Map<string, number>([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);

/** How many minor digits a currency has when the event does not say. */
export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

/**
 * `sign x minor / 10^digits` as exact decimal text with all its digits, `-59.90`; never through a float, and zero has
 * no sign.
 */
export function amountText({ minor, currency, digits }: Money, sign: 1 | -1): string {
  const places = digits ?? currencyDigits(currency);
  const text = String(minor).padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const fraction = places === 0 ? '' : `.${text.slice(-places)}`;
  return `${sign === -1 && minor !== 0 ? '-' : ''}${whole}${fraction}`;
}
