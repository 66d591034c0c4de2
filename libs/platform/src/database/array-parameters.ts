import type { SqlParameter } from './database.js';

/** Postgres' own numbers of the types (`pg_type.oid`): a binary array names that of its elements. */
const oids = { boolean: 16, bytea: 17, int8: 20, int4: 23, timestamptz: 1184, jsonb: 3802 } as const;

/** Dimensions, null flag, element type, then length and lower bound of the one dimension: five int32. */
const headerBytes = 20;
const int32Bytes = 4;
/** In the place of an element's length. */
const nullLength = -1;
/** What an int64 takes, its length included. */
const int64ElementBytes = 3 * int32Bytes;
const twoTo32 = 2 ** 32;

type Element = Exclude<SqlParameter, readonly SqlParameter[]>;

/**
 * Arrays as Postgres reads them fastest. node-postgres writes every array as text and runs two regular expressions per
 * element; bytes become hex, twice as long, to be decoded again by the server. Sending 500 sealed payloads of 1 KB took
 * a third of ingest's time in the driver (profiled).
 *
 * Elements tell no more than that they are bytes: `bytea[]` goes out in binary form, other arrays as array literals. Of
 * the types below the caller says what they are. Anything else is the driver's business.
 */
export function encodeParameter(value: SqlParameter): unknown {
  if (!Array.isArray(value)) return value;
  const elements = value as readonly SqlParameter[];
  const first = elements.find((element) => element !== null);
  if (Array.isArray(first)) return value;
  return first instanceof Uint8Array
    ? byteaArray(elements as readonly (Uint8Array | null)[])
    : arrayLiteral(elements as readonly Element[]);
}

/** Joined by the engine at once: a text that grows element by element is copied again when it is written. */
function arrayLiteral(elements: readonly Element[]): string {
  return `{${elements.map(elementText).join(',')}}`;
}

function elementText(element: Element): string {
  if (element === null) return 'NULL';
  return typeof element === 'string' ? quoted(element) : String(element);
}

const special = /["\\]/;

function quoted(text: string): string {
  return special.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

/**
 * Writes the binary form of an array of one dimension (`array_recv` in Postgres' `arrayfuncs.c`): each element's length, then
 * itself. Each type has a loop of its own: with one for all, whose elements were written by functions that it was given, an
 * int4 took as long as its text does (measured: 0.03 instead of 0.01 us).
 */
class BinaryArray {
  private readonly buffer: Buffer;
  private at = headerBytes;

  /** @param bytesMax of all elements with their lengths */
  constructor(oid: number, values: readonly unknown[], bytesMax: number) {
    this.buffer = Buffer.allocUnsafe(headerBytes + bytesMax);
    this.buffer.writeInt32BE(1, 0);
    this.buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
    this.buffer.writeInt32BE(oid, 8);
    this.buffer.writeInt32BE(values.length, 12);
    this.buffer.writeInt32BE(1, 16);
  }

  get written(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  null(): void {
    this.at = this.buffer.writeInt32BE(nullLength, this.at);
  }

  boolean(value: boolean): void {
    this.at = this.buffer.writeUInt8(value ? 1 : 0, this.buffer.writeInt32BE(1, this.at));
  }

  int32(value: number): void {
    this.at = this.buffer.writeInt32BE(value, this.buffer.writeInt32BE(int32Bytes, this.at));
  }

  /** @param high signed @param low unsigned */
  int64(high: number, low: number): void {
    const start = this.buffer.writeInt32BE(2 * int32Bytes, this.at);
    this.at = this.buffer.writeUInt32BE(low, this.buffer.writeInt32BE(high, start));
  }

  bytes(value: Uint8Array): void {
    const start = this.buffer.writeInt32BE(value.length, this.at);
    this.buffer.set(value, start);
    this.at = start + value.length;
  }

  /** The only version there is of jsonb's binary form (`jsonb_recv`): a byte, then the JSON text. */
  jsonb(text: string): void {
    const start = this.at + int32Bytes;
    const end = start + 1 + this.buffer.write(text, this.buffer.writeUInt8(1, start));
    this.buffer.writeInt32BE(end - start, this.at);
    this.at = end;
  }
}

function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += int32Bytes + (value?.length ?? 0);
  const array = new BinaryArray(oids.bytea, values, bytes);
  for (const value of values) {
    if (value === null) array.null();
    else array.bytes(value);
  }
  return array.written;
}

/** For `boolean[]`. */
export function booleanArray(values: readonly (boolean | null)[]): Uint8Array {
  const array = new BinaryArray(oids.boolean, values, values.length * (int32Bytes + 1));
  for (const value of values) {
    if (value === null) array.null();
    else array.boolean(value);
  }
  return array.written;
}

/**
 * For `int4[]`.
 * @throws {RangeError} where one is no integer of 32 bits
 */
export function int4Array(values: readonly (number | null)[]): Uint8Array {
  const array = new BinaryArray(oids.int4, values, values.length * 2 * int32Bytes);
  for (const value of values) {
    if (value === null) array.null();
    else if ((value | 0) === value) array.int32(value);
    else throw new RangeError('no integer of 32 bits');
  }
  return array.written;
}

/**
 * For `int8[]`.
 * @throws {RangeError} where one is no safe integer
 */
export function int8Array(values: readonly (number | null)[]): Uint8Array {
  const array = new BinaryArray(oids.int8, values, values.length * int64ElementBytes);
  for (const value of values) {
    if (value === null) array.null();
    else if (Number.isSafeInteger(value)) array.int64(Math.floor(value / twoTo32), value >>> 0);
    else throw new RangeError('no safe integer');
  }
  return array.written;
}

/** Postgres counts from 2000-01-01, in microseconds; it has room for the years until 294276. */
const postgresEpochMs = Date.UTC(2_000, 0, 1);
const microsecondsPerMs = 1_000;

/**
 * For `timestamptz[]`: epoch milliseconds, or `Infinity` and `-Infinity` as Postgres has them. An ISO text costs ten times
 * as much to write as eight bytes do, and Postgres twice as much to read (measured).
 * @throws {RangeError} for NaN
 */
export function timestamptzArray(values: readonly (number | null)[]): Uint8Array {
  const array = new BinaryArray(oids.timestamptz, values, values.length * int64ElementBytes);
  for (const value of values) {
    if (value === null) array.null();
    else if (Number.isFinite(value)) addInstant(array, Math.trunc(value) - postgresEpochMs);
    else if (value === Infinity) array.int64(0x7f_ff_ff_ff, 0xff_ff_ff_ff);
    else if (value === -Infinity) array.int64(-0x80_00_00_00, 0);
    else throw new RangeError('no time');
  }
  return array.written;
}

/** Microseconds are beyond what a number holds exactly: they are multiplied out by halves. */
function addInstant(array: BinaryArray, sinceEpochMs: number): void {
  const low = (sinceEpochMs >>> 0) * microsecondsPerMs;
  const high = Math.floor(sinceEpochMs / twoTo32) * microsecondsPerMs + Math.floor(low / twoTo32);
  array.int64(high, low >>> 0);
}

/** For `jsonb[]`: JSON texts. In an array literal each of their quotes is escaped, which costs ten times as much (measured). */
export function jsonbArray(values: readonly (string | null)[]): Uint8Array {
  let bytes = 0;
  for (const value of values) bytes += int32Bytes + 1 + (value === null ? 0 : Buffer.byteLength(value));
  const array = new BinaryArray(oids.jsonb, values, bytes);
  for (const value of values) {
    if (value === null) array.null();
    else array.jsonb(value);
  }
  return array.written;
}
