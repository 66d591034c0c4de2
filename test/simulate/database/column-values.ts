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
