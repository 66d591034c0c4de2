import fc from 'fast-check';
import { isExactAsFloat } from '../json/exact-number.js';
import { exactNumberSchema } from './values.js';

describe('isExactAsFloat', () => {
  it.each([
    '0',
    '-0',
    '0.000',
    '59.99',
    '59.990',
    '-0.1',
    '1e3',
    '1.50E+2',
    '9007199254740991',
    '1e21',
    '1e-7',
    '5e-324',
  ])('%s is', (text) => {
    expect(isExactAsFloat(text)).toBe(true);
  });

  it.each(['9007199254740993', '-9007199254740993.10', '0.1234567890123456789', '1e400', '1234567890123456.78'])(
    '%s is not',
    (text) => {
      expect(isExactAsFloat(text)).toBe(false);
    },
  );

  it('every float is, however it is written', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isExactAsFloat(JSON.stringify(value))).toBe(true);
        expect(isExactAsFloat(value.toExponential())).toBe(true);
      }),
    );
  });

  it('an amount of minor units is, or the text differs from what the float says', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 22n }), (minor) => {
        const digits = minor.toString().padStart(3, '0');
        const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`;
        const isSame = BigInt(Number(text).toFixed(2).replace('.', '')) === minor;
        if (isExactAsFloat(text)) expect(isSame).toBe(true);
      }),
    );
  });
});

describe('exactNumberSchema', () => {
  it.each([[5], [-0.5], ['9007199254740993'], ['1e400']])('takes %j', (value) => {
    expect(exactNumberSchema.safeParse(value).success).toBe(true);
  });

  it.each([['9'], ['59.99'], ['abc'], [''], [null], [Number.NaN], ['1,5']])('refuses %j', (value) => {
    expect(exactNumberSchema.safeParse(value).success).toBe(false);
  });
});
