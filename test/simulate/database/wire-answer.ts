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

export interface WireColumn {
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
