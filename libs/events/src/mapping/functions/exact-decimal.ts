import { MapRefusal } from '../map-error.js';
import type { Value } from '../values.js';

/** A decimal number, exactly: `units / 10^scale`. */
export interface ExactDecimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Digits of a number, before and behind its point and in what is made of it. */
const digitsMax = 60;
const exponentMax = 30;
const decimal = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d{1,3}))?$/;
type Groups = Readonly<Partial<Record<string, string>>>;

/** A number of a record, which is its text, or one of the map. @throws MapRefusal, `name` being who asks */
export function readDecimal(name: string, value: Value): ExactDecimal {
  if (value === undefined || value === null) throw new MapRefusal(`$${name}: an amount is missing`);
  const match = typeof value === 'number' || typeof value === 'string' ? decimal.exec(String(value)) : null;
  if (match === null) throw new MapRefusal(`$${name} takes a decimal number such as 59.99`);
  const read = ofDigits(match.groups ?? {});
  if (read === null) throw new MapRefusal(`$${name} takes a number of at most ${digitsMax} digits`);
  return read;
}

function ofDigits({ sign = '', whole = '', fraction = '', exponent = '0' }: Groups): ExactDecimal | null {
  if (whole.length + fraction.length > digitsMax || Math.abs(Number(exponent)) > exponentMax) return null;
  const units = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

export function add(one: ExactDecimal, other: ExactDecimal): ExactDecimal {
  const scale = Math.max(one.scale, other.scale);
  return { units: at(one, scale) + at(other, scale), scale };
}

export function multiply(one: ExactDecimal, other: ExactDecimal): ExactDecimal {
  return { units: one.units * other.units, scale: one.scale + other.scale };
}

export function negate({ units, scale }: ExactDecimal): ExactDecimal {
  return { units: -units, scale };
}

export function compare(one: ExactDecimal, other: ExactDecimal): -1 | 0 | 1 {
  const difference = add(one, negate(other)).units;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function at({ units, scale }: ExactDecimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

/** In units of `10^-digits`; null where it does not fit them. */
export function unitsOf({ units, scale }: ExactDecimal, digits: number): bigint | null {
  if (scale <= digits) return units * 10n ** BigInt(digits - scale);
  const divisor = 10n ** BigInt(scale - digits);
  return units % divisor === 0n ? units / divisor : null;
}

/** With the digits that it has, `-59.90`. @throws MapRefusal where they are too many */
export function decimalText(name: string, { units, scale }: ExactDecimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  if (digits.length > digitsMax) throw new MapRefusal(`$${name} makes a number of more than ${digitsMax} digits`);
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}
