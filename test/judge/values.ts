import { type Json, type JsonObject } from './case.js';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

/** JSON with sorted keys: two values are the same if this text is. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

/** A dotted path into data: `attributes.campaign`. */
export function at(data: unknown, path: string): Json | undefined {
  let value: unknown = data;
  for (const step of path.split('.')) value = isObject(value) ? value[step] : undefined;
  return value as Json | undefined;
}

/** Exact decimal text without needless zeros: 59.90 and 59.9 are one amount, 5.99 is another. */
export function decimal(value: unknown): string | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/iu.exec(textOf(value) ?? '');
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  return decimalOf(BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`), fraction.length - Number(exponent));
}

/** `units` / 10^`scale`. */
export function decimalOf(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString() + '0'.repeat(Math.max(0, -scale));
  const padded = digits.padStart(Math.max(scale, 0) + 1, '0');
  const cut = padded.length - Math.max(scale, 0);
  const fraction = padded.slice(cut).replace(/0+$/u, '');
  const text = `${padded.slice(0, cut).replace(/^0+(?=\d)/u, '')}${fraction === '' ? '' : `.${fraction}`}`;
  return units < 0n ? `-${text}` : text;
}

const isoDigitsBesides2: { readonly [currency: string]: number } = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

/** ISO 4217. */
export const isoDigits = (currency: string): number => isoDigitsBesides2[currency] ?? 2;

/** Epoch ms of a date that was sent. The partner may ask for the basic form of ISO 8601, or for one without a zone: then it means UTC. */
export function sentTimeOf(date: unknown): number {
  const spelled = extended(textOf(date) ?? '');
  return Date.parse(/[Z+]|-\d\d:\d\d$/.test(spelled) ? spelled : `${spelled}Z`);
}

/** `20261121T091504Z` as `2026-11-21T09:15:04Z`. */
function extended(text: string): string {
  const { day = '', time = '', rest = '' } = /^(?<day>\d{8})T(?<time>\d{6})(?<rest>.*)$/.exec(text)?.groups ?? {};
  if (day === '') return text;
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${time.match(/\d\d/g)?.join(':') ?? ''}${rest}`;
}
