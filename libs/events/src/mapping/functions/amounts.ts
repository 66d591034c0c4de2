import { isCurrencyCode, isExactAsFloat } from '#contracts';
import { currencyDigits } from '#events/core';

import { MapRefusal } from '../map-error.js';
import type { Native } from '../native.js';
import { fieldOf, type MapObject, type Value } from '../values.js';
import { isMissing, listOf, objectOf, textOf } from './arguments.js';
import * as exact from './exact-decimal.js';

/** As the schema of money allows. */
const minorDigitsMax = 8;
const isoRule = 'is no currency of ISO 4217';

interface Currency {
  readonly code: string;
  readonly digits: number;
  readonly mayBeNegative: boolean;
}

function digitsOf(name: string, code: string, told: Value): number {
  if (told === undefined) {
    if (!isCurrencyCode(code)) throw new MapRefusal(`$${name}: what is given as currency ${isoRule}`);
    return currencyDigits(code);
  }
  if (typeof told === 'number' && Number.isInteger(told) && told >= 0 && told <= minorDigitsMax) return told;
  throw new MapRefusal(`$${name}: digits are a count from 0 to ${minorDigitsMax}`);
}

function currencyOf(name: string, currency: Value, options: Value): Currency {
  if (isMissing(currency)) throw new MapRefusal(`$${name}: the currency is missing`);
  const code = textOf(name, currency);
  const told = options === undefined ? {} : objectOf(name, options);
  const mayBeNegative = fieldOf(told, 'negative') === true;
  return { code, digits: digitsOf(name, code, fieldOf(told, 'digits')), mayBeNegative };
}

/** Minor units of an amount in major ones. */
function minorOf(name: string, amount: Value, currency: Currency): number {
  const { digits } = currency;
  const units = exact.unitsOf(exact.readDecimal(name, amount), digits);
  if (units === null) throw new MapRefusal(`$${name}: the amount has more digits than its currency, ${digits}`);
  return minorNumber(name, units, currency);
}

/** Minor units that are told as such. */
function wholeMinor(name: string, amount: Value, currency: Currency): number {
  const units = exact.unitsOf(exact.readDecimal(name, amount), 0);
  if (units === null) throw new MapRefusal(`$${name} takes whole minor units, such as cents`);
  return minorNumber(name, units, currency);
}

function minorNumber(name: string, units: bigint, { mayBeNegative }: Currency): number {
  if (units < 0n && !mayBeNegative) {
    throw new MapRefusal(`$${name}: the amount is negative; if that is meant, say {"negative": true} or use $negate`);
  }
  return safe(name, units);
}

function safe(name: string, units: bigint): number {
  const number = Number(units);
  if (!Number.isSafeInteger(number)) throw new MapRefusal(`$${name}: the amount is beyond 2^53`);
  return number;
}

interface AmountHelper {
  readonly name: 'minor' | 'money' | 'ofMinor';
  readonly read: typeof minorOf;
  readonly make: (minor: number, currency: Currency) => Value;
}

const moneyOf: AmountHelper['make'] = (minor, { code, digits }): MapObject => ({ minor, currency: code, digits });

function ofAmount({ name, read, make }: AmountHelper): Native {
  return {
    ...{ name, takes: [2, 3], kind: name === 'minor' ? 'number' : 'other' },
    // With options the digits may be its own.
    judge: ([, code, ...options]) =>
      code === undefined || options.length > 0 || isCurrencyCode(code) ? null : `the currency ${isoRule}`,
    run([amount, currency, options]) {
      if (isMissing(amount)) return undefined;
      const known = currencyOf(name, currency, options);
      return make(read(name, amount, known), known);
    },
  };
}

function computed(
  name: string,
  takes: Native['takes'],
  compute: (numbers: readonly exact.ExactDecimal[]) => exact.ExactDecimal,
): Native {
  const run: Native['run'] = (given, at) => {
    const numbers = given.map((each) => exact.readDecimal(name, each));
    at.charge(numbers.length);
    return exact.decimalText(name, compute(numbers));
  };
  return { name, takes, kind: 'other', run };
}

const zero: exact.ExactDecimal = { units: 0n, scale: 0 };
const argumentsMax = 20;

const total: Native = {
  ...{ name: 'total', takes: [1, 1], kind: 'other' },
  run([value], run) {
    const list = listOf(value);
    run.charge(list.length);
    const sum = list.map((each) => exact.readDecimal('total', each)).reduce(exact.add, zero);
    return exact.decimalText('total', sum);
  },
};

const compare: Native = {
  ...{ name: 'compare', takes: [2, 2], kind: 'count' },
  run: ([one, other]) => exact.compare(exact.readDecimal('compare', one), exact.readDecimal('compare', other)),
};

const int: Native = {
  ...{ name: 'int', takes: [1, 1], isMethod: true, kind: 'number' },
  run([value]) {
    if (isMissing(value)) return undefined;
    const units = exact.unitsOf(exact.readDecimal('int', value), 0);
    if (units === null) throw new MapRefusal('$int takes a whole number');
    return safe('int', units);
  },
};

const decimal: Native = {
  ...{ name: 'decimal', takes: [1, 1], isMethod: true, kind: 'number' },
  run([value]) {
    if (isMissing(value)) return undefined;
    const text = exact.decimalText('decimal', exact.readDecimal('decimal', value));
    if (!isExactAsFloat(text)) throw new MapRefusal('$decimal: the number has more digits than a receiver keeps');
    return Number(text);
  },
};

export const amounts: readonly Native[] = [
  ofAmount({ name: 'minor', read: minorOf, make: (minor) => minor }),
  ofAmount({ name: 'money', read: minorOf, make: moneyOf }),
  ofAmount({ name: 'ofMinor', read: wholeMinor, make: moneyOf }),
  computed('add', [2, argumentsMax], (numbers) => numbers.reduce(exact.add)),
  computed('subtract', [2, 2], ([one = zero, other = zero]) => exact.add(one, exact.negate(other))),
  computed('times', [2, 2], ([one = zero, other = zero]) => exact.multiply(one, other)),
  computed('negate', [1, 1], ([one = zero]) => exact.negate(one)),
  ...[total, compare, int, decimal],
];
