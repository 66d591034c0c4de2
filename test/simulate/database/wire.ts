import type { SqlParameter } from '#platform';

type Parser = (text: string) => unknown;

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('int8 value beyond 2^53');
  return value;
}

function list(parse: Parser): Parser {
  return (text) =>
    text === '{}'
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((item) => (item === 'NULL' ? null : parse(item.replace(/^"|"$/g, ''))));
}

const asText: Parser = (text) => text;
const json: Parser = (text) => JSON.parse(text) as unknown;

/** By type oid: what the database port promises, and node-postgres' own reading for the rest. */
const parsers = new Map<number, Parser>([
  [16, (text) => text === 't'],
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
  [20, safeInteger],
  [21, Number],
  [23, Number],
  [26, Number],
  [114, json],
  [700, Number],
  [701, Number],
  [1005, list(Number)],
  [1007, list(Number)],
  [1009, list(asText)],
  [1016, list(safeInteger)],
  [1184, (text) => Date.parse(`${text.replace(/\+00$/, '').replace(' ', 'T')}Z`)],
  [3802, json],
]);

/** How the text of a column of this type is read. */
export function columnParser(typeId: number): Parser {
  return parsers.get(typeId) ?? asText;
}

/** A parameter as the wire carries it: text, bytes for bytea, arrays as literals. */
export function wireValue(value: SqlParameter): string | Uint8Array | null {
  if (value === null || value instanceof Uint8Array) return value;
  return Array.isArray(value) ? arrayText(value as readonly SqlParameter[]) : String(value);
}

function arrayText(items: readonly SqlParameter[]): string {
  return `{${items.map(elementText).join(',')}}`;
}

function elementText(value: SqlParameter): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  if (Array.isArray(value)) return arrayText(value as readonly SqlParameter[]);
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}

const textFormat = 0;
const binaryFormat = 1;

/** Builds messages of PostgreSQL's frontend protocol (its documentation, section 55.7), one after the other. */
export class WireRequest {
  private buffer = Buffer.allocUnsafe(4_096);
  private at = 0;

  /** A simple query of any statements. */
  query(sql: string): this {
    return this.message('Q', () => this.text(sql));
  }

  /** Prepares a statement and asks what it will return. */
  parse(name: string, sql: string): this {
    this.message('P', () => this.text(name).text(sql).int16(0));
    this.message('D', () => this.byte('S').text(name));
    return this.sync();
  }

  /** Runs a prepared statement to its end. */
  run(name: string, values: readonly (string | Uint8Array | null)[]): this {
    this.message('B', () => {
      this.text('').text(name).int16(values.length);
      for (const value of values) this.int16(value instanceof Uint8Array ? binaryFormat : textFormat);
      this.int16(values.length);
      for (const value of values) this.value(value);
      this.int16(0);
    });
    this.message('E', () => this.text('').int32(0));
    return this.sync();
  }

  /** Everything so far; the builder is empty afterwards. */
  take(): Uint8Array {
    const bytes = this.buffer.subarray(0, this.at);
    this.at = 0;
    return bytes;
  }

  private sync(): this {
    return this.message('S', () => undefined);
  }

  private message(kind: string, body: () => unknown): this {
    this.byte(kind);
    const start = this.at;
    this.int32(0);
    body();
    this.buffer.writeInt32BE(this.at - start, start);
    return this;
  }

  private value(value: string | Uint8Array | null): void {
    if (value === null) {
      this.int32(-1);
      return;
    }
    const length = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    this.int32(length).need(length);
    if (typeof value === 'string') this.buffer.write(value, this.at);
    else this.buffer.set(value, this.at);
    this.at += length;
  }

  private text(text: string): this {
    const length = Buffer.byteLength(text);
    this.need(length + 1);
    this.buffer.write(text, this.at);
    this.buffer[this.at + length] = 0;
    this.at += length + 1;
    return this;
  }

  private byte(character: string): this {
    this.need(1);
    this.at = this.buffer.writeUInt8(character.charCodeAt(0), this.at);
    return this;
  }

  private int16(value: number): this {
    this.need(2);
    this.at = this.buffer.writeInt16BE(value, this.at);
    return this;
  }

  private int32(value: number): this {
    this.need(4);
    this.at = this.buffer.writeInt32BE(value, this.at);
    return this;
  }

  private need(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe((this.buffer.length + bytes) * 2);
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
  }
}

/** What the server refused, with its SQLSTATE. */
export class SqlError extends Error {
  override readonly name = 'SqlError';

  constructor(
    readonly sqlState: string,
    message: string,
  ) {
    super(message);
  }
}

interface WireColumn {
  readonly name: string;
  readonly typeId: number;
}

/** A server's answer, up to the end of the bytes: PostgreSQL's backend protocol (section 55.7). */
export interface WireAnswer {
  readonly columns: readonly WireColumn[];
  /** Text of each field, or null. */
  readonly rows: readonly (string | null)[][];
  /** Of the last command: `UPDATE 3`. */
  readonly tag: string;
}

/** @throws SqlError */
export function readAnswer(bytes: Uint8Array): WireAnswer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows: (string | null)[][] = [];
  let columns: WireColumn[] = [];
  let tag = '';
  for (let at = 0; at < buffer.length;) {
    const kind = String.fromCharCode(buffer[at] ?? 0);
    const body = at + 5;
    const end = at + 1 + buffer.readInt32BE(at + 1);
    if (kind === 'D') rows.push(readRow(buffer, body));
    else if (kind === 'T') columns = readColumns(buffer, body);
    else if (kind === 'C') tag = buffer.toString('latin1', body, end - 1);
    else if (kind === 'E') throw readError(buffer.toString('utf8', body, end));
    at = end;
  }
  return { columns, rows, tag };
}

function readRow(buffer: Buffer, body: number): (string | null)[] {
  const count = buffer.readInt16BE(body);
  const fields: (string | null)[] = [];
  let at = body + 2;
  for (let index = 0; index < count; index += 1) {
    const length = buffer.readInt32BE(at);
    at += 4;
    fields.push(length < 0 ? null : buffer.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  return fields;
}

/** After the name: table, column, type, size, modifier, format. */
function readColumns(buffer: Buffer, body: number): WireColumn[] {
  const count = buffer.readInt16BE(body);
  const columns: WireColumn[] = [];
  let at = body + 2;
  for (let index = 0; index < count; index += 1) {
    const end = buffer.indexOf(0, at);
    columns.push({ name: buffer.toString('utf8', at, end), typeId: buffer.readInt32BE(end + 7) });
    at = end + 19;
  }
  return columns;
}

/** Fields of one letter each, ended by zero bytes. */
function readError(text: string): SqlError {
  const fields = new Map(text.split('\0').map((field) => [field.slice(0, 1), field.slice(1)]));
  return new SqlError(fields.get('C') ?? 'XX000', fields.get('M') ?? 'no message');
}
