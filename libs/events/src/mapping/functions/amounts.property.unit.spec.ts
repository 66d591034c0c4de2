import fc from 'fast-check';

import { isCurrencyCode } from '#contracts';
import { amountText, currencyDigits } from '#events/core';

import { MapRefusal } from '../map-error.js';
import type { Run } from '../native.js';
import type { Value } from '../values.js';
import { nativeNamed } from './natives.js';

const run: Run = { charge: () => undefined, made: (text) => text, call: () => undefined };

function call(name: string, ...given: Value[]): Value {
  const native = nativeNamed(name);
  if (native === undefined) throw new Error(`no function ${name}`);
  return native.run(given, run);
}

/** The rule of a refusal. */
function refusal(name: string, ...given: Value[]): string {
  try {
    call(name, ...given);
  } catch (error) {
    if (error instanceof MapRefusal) return error.rule;
    throw error;
  }
  return 'taken';
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
const currencies = letters
  .flatMap((one) => letters.flatMap((two) => letters.map((three) => one + two + three)))
  .filter(isCurrencyCode);
const currency = fc.constantFrom(...currencies);
const minor = fc.oneof(fc.nat(100_000), fc.maxSafeNat());

describe('$minor, over every currency of ISO 4217', () => {
  it('knows all of them', () => {
    expect(currencies.length).toBeGreaterThan(270);
  });

  it.each(currencies)('takes every amount that %s can have, as it is, and no other', (code) => {
    const digits = currencyDigits(code);
    for (const units of [0, 1, 10 ** digits, 5_999, Number.MAX_SAFE_INTEGER]) {
      expect(call('minor', amountText({ minor: units, currency: code }, 1), code)).toBe(units);
    }
    const smaller = `0.${'0'.repeat(digits)}1`;
    expect(refusal('minor', smaller, code)).toBe(`$minor: the amount has more digits than its currency, ${digits}`);
    expect(refusal('minor', amountText({ minor: 1, currency: code }, -1), code)).toContain('the amount is negative');
    expect(refusal('minor', `9007199254740992${'0'.repeat(digits)}`, code)).toContain('beyond 2^53');
  });

  it('reads what amounts are written as, exactly, whatever zeros and exponents they are written with', () => {
    fc.assert(
      fc.property(minor, currency, fc.nat(6), fc.nat(3), (units, code, zeros, exponent) => {
        const digits = currencyDigits(code);
        const text = amountText({ minor: units, currency: code }, 1);
        const padded = text.includes('.') ? text + '0'.repeat(zeros) : `${text}.0${'0'.repeat(zeros)}`;
        expect(call('minor', `00${padded}`, code)).toBe(units);
        expect(call('minor', `${units}e-${digits}`, code)).toBe(units);
        expect(call('minor', `${units}${'0'.repeat(exponent)}e-${digits + exponent}`, code)).toBe(units);
        expect(call('money', text, code)).toEqual({ minor: units, currency: code, digits });
      }),
    );
  });

  it('takes negative amounts, and digits of its own, where it is asked to', () => {
    fc.assert(
      fc.property(minor, currency, fc.nat(8), (units, code, digits) => {
        const text = amountText({ minor: units, currency: code, digits }, -1);
        expect(call('minor', text, code, { negative: true, digits })).toBe(units === 0 ? 0 : -units);
      }),
    );
    expect(call('minor', '1.5', 'POINTS', { digits: 1 })).toBe(15);
    expect(refusal('minor', '1.5', 'EUR', { digits: 9 })).toBe('$minor: digits are a count from 0 to 8');
    expect(refusal('minor', '1.5', 'EUR', { digits: '1' })).toBe('$minor: digits are a count from 0 to 8');
  });

  it.each([
    '',
    ' ',
    '5,99',
    '1.000,00',
    '5.',
    '.5',
    '+5',
    '0x10',
    '1e',
    'NaN',
    'Infinity',
    '5 EUR',
    '५',
    '1_000',
    'e5',
    '--5',
  ])('takes no text that is no decimal number: %j', (text) => {
    expect(refusal('minor', text, 'EUR')).toBe('$minor takes a decimal number such as 59.99');
  });

  it('refuses what it cannot say, and leaves out what is not there', () => {
    expect(call('minor', undefined, 'EUR')).toBeUndefined();
    expect(call('money', null, 'EUR')).toBeUndefined();
    expect(refusal('minor', '5', undefined)).toBe('$minor: the currency is missing');
    expect(refusal('minor', '5', 'eur')).toBe('$minor: what is given as currency is no currency of ISO 4217');
    expect(refusal('minor', ['5'], 'EUR')).toBe('$minor takes a decimal number such as 59.99');
    expect(refusal('minor', '1e31', 'EUR')).toContain('at most 60 digits');
    expect(refusal('minor', '1'.repeat(61), 'EUR')).toContain('at most 60 digits');
  });
});

describe('$ofMinor', () => {
  it('takes whole minor units as they are, with the digits of their currency', () => {
    fc.assert(
      fc.property(minor, currency, (units, code) => {
        const digits = currencyDigits(code);
        expect(call('ofMinor', String(units), code)).toEqual({ minor: units, currency: code, digits });
        const own = { minor: -units === 0 ? 0 : -units, currency: code, digits: 4 };
        expect(call('ofMinor', `-${units}`, code, { negative: true, digits: 4 })).toEqual(own);
      }),
    );
  });

  it('refuses what is in major units, negative, too large, or of no currency', () => {
    expect(refusal('ofMinor', '59.99', 'EUR')).toBe('$ofMinor takes whole minor units, such as cents');
    expect(refusal('ofMinor', '-1', 'EUR')).toContain('the amount is negative');
    expect(refusal('ofMinor', '9007199254740992', 'EUR')).toBe('$ofMinor: the amount is beyond 2^53');
    expect(refusal('ofMinor', '5', 'EUX')).toBe('$ofMinor: what is given as currency is no currency of ISO 4217');
    expect(refusal('ofMinor', '5', null)).toBe('$ofMinor: the currency is missing');
    expect(call('ofMinor', undefined, 'EUR')).toBeUndefined();
  });
});

const amount = fc
  .tuple(fc.bigInt({ min: -(10n ** 11n), max: 10n ** 11n }), fc.nat(4))
  .map(([units, digits]) => ({ units, digits }));

function textOf({ units, digits }: { readonly units: bigint; readonly digits: number }): string {
  const all = String(units < 0n ? -units : units).padStart(digits + 1, '0');
  const whole = all.slice(0, all.length - digits);
  return `${units < 0n ? '-' : ''}${whole}${digits === 0 ? '' : `.${all.slice(-digits)}`}`;
}

/** In ten-thousandths. */
function inSmallest({ units, digits }: { readonly units: bigint; readonly digits: number }): bigint {
  return units * 10n ** BigInt(4 - digits);
}

describe('exact numbers', () => {
  it('are added, subtracted, multiplied, negated, compared and summed without a float', () => {
    fc.assert(
      fc.property(amount, amount, (one, other) => {
        const [left, right] = [textOf(one), textOf(other)];
        const smallest = (text: Value): Value => call('minor', text, 'CLF', { negative: true });
        expect(smallest(call('add', left, right))).toBe(Number(inSmallest(one) + inSmallest(other)));
        expect(smallest(call('subtract', left, right))).toBe(Number(inSmallest(one) - inSmallest(other)));
        expect(smallest(call('negate', left))).toBe(Number(-inSmallest(one)));
        expect(call('total', [left, right, left])).toBe(call('add', left, right, left));
        expect(call('times', left, right)).toBe(
          textOf({ units: one.units * other.units, digits: one.digits + other.digits }),
        );
        const difference = inSmallest(one) - inSmallest(other);
        expect(call('compare', left, right)).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1);
      }),
    );
  });

  it.each([
    ['add', ['0.1', '0.2'], '0.3'],
    ['add', ['59.99', '0.01', '-10'], '50.00'],
    ['subtract', ['1', '0.9'], '0.1'],
    ['times', ['3', '19.99'], '59.97'],
    ['negate', ['-5.00'], '5.00'],
    ['negate', ['0'], '0'],
    ['total', [[]], '0'],
    ['total', [undefined], '0'],
    ['total', ['5.50'], '5.50'],
    ['compare', ['10', '9'], 1],
    ['compare', ['5.0', '5'], 0],
    ['int', ['5.0'], 5],
    ['int', ['-9007199254740991'], -9007199254740991],
    ['decimal', ['1.50'], 1.5],
    ['decimal', ['0.123456789012345'], 0.123456789012345],
  ] as const)('$%s(%j) is %j', (name, given, expected) => {
    expect(call(name, ...(given as unknown as Value[]))).toBe(expected);
  });

  it.each([
    ['total', [['1', undefined]], '$total: an amount is missing'],
    ['add', ['1', null], '$add: an amount is missing'],
    ['compare', ['a', '1'], '$compare takes a decimal number such as 59.99'],
    ['int', ['1.5'], '$int takes a whole number'],
    ['int', ['9007199254740992'], '$int: the amount is beyond 2^53'],
    ['decimal', ['0.1234567890123456789'], '$decimal: the number has more digits than a receiver keeps'],
    ['times', ['1'.repeat(50), '1'.repeat(50)], '$times makes a number of more than 60 digits'],
  ] as const)('$%s(%j) is refused', (name, given, rule) => {
    expect(refusal(name, ...(given as unknown as Value[]))).toBe(rule);
  });
});
