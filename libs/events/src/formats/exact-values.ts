import { jsonDepthMax } from '#contracts/json';
import { MalformedError } from './byte-reader.js';
import { decimalBytesMax, decimalScaleMax, valuesMax } from './limits.js';
import type { ExactDocument } from './source-format.js';

/** Bounds what is made of one record. */
export class ValueBudget {
  private left = valuesMax;

  /** One more value, at that depth. @throws MalformedError */
  take(depth: number): void {
    this.left -= 1;
    if (this.left < 0) throw new MalformedError(`more than ${valuesMax} values`);
    if (depth > jsonDepthMax) throw new MalformedError(`nested deeper than ${jsonDepthMax}`);
  }

  /** Whether so many more are possible. @param count what the bytes claim */
  allow(count: number | bigint): number {
    if (count > this.left) throw new MalformedError(`more than ${valuesMax} values`);
    return Number(count);
  }
}

/** A document whose members are set one by one; one named `__proto__` is left out, as in JSON. */
export type OpenDocument = Record<string, ExactDocument>;

export function setMember(document: OpenDocument, name: string, value: ExactDocument): void {
  if (name !== '__proto__') document[name] = value;
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

const uuidBytes = 16;

/** @throws MalformedError */
export function uuidText(bytes: Uint8Array): string {
  if (bytes.length !== uuidBytes) throw new MalformedError('a UUID of another length');
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What JavaScript and JSON write: the shortest text that reads back as the same number. */
export function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

const floatDigitsMax = 9;

/** The same of a number of 32 bits: `0.1` and not `0.10000000149011612`. */
export function floatText(value: number): string {
  if (!Number.isFinite(value) || value === 0) return doubleText(value);
  for (let digits = 1; digits < floatDigitsMax; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return doubleText(short);
  }
  return doubleText(Number(value.toPrecision(floatDigitsMax)));
}

/** The digits of a whole number with a point before the last `scale` of them, exactly. */
export function scaledText(digits: bigint, scale: number): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits);
  if (scale <= 0) return digits === 0n ? '0' : `${sign}${text}${'0'.repeat(-scale)}`;
  const padded = text.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** A whole number in two's complement, the highest byte first, as Avro, Kafka Connect and Java write it. */
function wholeNumber(bytes: Uint8Array): bigint {
  if (bytes.length === 0) throw new MalformedError('a decimal without digits');
  if (bytes.length > decimalBytesMax) throw new MalformedError(`a decimal of more than ${decimalBytesMax} bytes`);
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`));
}

/** @throws MalformedError */
export function decimalText(bytes: Uint8Array, scale: number | bigint): string {
  if (scale > decimalScaleMax || scale < -decimalScaleMax) {
    throw new MalformedError(`a decimal's scale beyond ${decimalScaleMax}`);
  }
  return scaledText(wholeNumber(bytes), Number(scale));
}
