import pg from 'pg';

const int8Oid = 20;
const timestamptzOid = 1184;
const int8ArrayOid = 1016;

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('int8 value beyond 2^53');
  return value;
}

const utcSuffix = '+00';

/** `2026-11-21 09:15:04.123+00`, our connections' time zone being UTC, as ISO 8601: the only form with a defined meaning. */
function parseEpochMs(text: string): number {
  if (!text.endsWith(utcSuffix)) return Date.parse(text);
  return Date.parse(`${text.slice(0, -utcSuffix.length).replace(' ', 'T')}Z`);
}

function parseInt8Array(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(parseSafeInteger);
}

const parsers = new Map<number, (text: string) => unknown>([
  [int8Oid, parseSafeInteger],
  [timestamptzOid, parseEpochMs],
  [int8ArrayOid, parseInt8Array],
]);

type AnyParser = (oid: number, format: string) => unknown;

const driverParser = pg.types.getTypeParser as unknown as AnyParser;

/** int8 and timestamptz as numbers, for our statements only: the driver's global parsers stay untouched. */
export const columnParsers = {
  getTypeParser: (oid: number, format?: string) => parsers.get(oid) ?? driverParser(oid, format ?? 'text'),
} as unknown as pg.CustomTypesConfig;
