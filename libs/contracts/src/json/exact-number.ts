/** A number as JSON writes it: sign, whole, fraction, exponent. */
export const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** True when a float tells the same decimal number as the text: `59.990` and `1e3` do, `9007199254740993` does not. */
export function isExactAsFloat(text: string): boolean {
  return isSameNumber(text, String(Number(text)));
}

/** Whether two decimal texts tell the same number, exactly: `59.990` is `59.99` and `5999e-2`. */
export function isSameNumber(left: string, right: string): boolean {
  return left === right || canonical(left) === canonical(right);
}

/** Significant digits and exponent; equal for texts of the same number. */
function canonical(text: string): string {
  const [, sign = '', whole = text, fraction = '', exponent = '0'] = jsonNumber.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
