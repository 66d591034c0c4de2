import { z } from 'zod';
import { isNumber } from '../store/exact-json.js';

/** What may be looked for, or must be unique, stands in an index of Postgres: 2,704 bytes at most, four to a character. */
export const indexedCharsMax = 500;
const nameCharsMax = 200;

/** What is wrong with a text that fits no index; null: nothing. */
export function tooLongForIndex(value: unknown): string | null {
  return typeof value === 'string' && value.length > indexedCharsMax ? `has over ${indexedCharsMax} characters` : null;
}

/** A name that a caller gives to something. */
export const nameSchema = z.string().min(1).max(nameCharsMax);

/** A value that can be looked for: Postgres cannot store a NUL, so nothing can be found by one. */
export const storableTextSchema = z
  .string()
  .min(1)
  .max(indexedCharsMax)
  .refine((value) => !value.includes('\0'), 'holds a character that cannot be stored');

/** An identifier that is a number (passId, templateId), as text in a query. */
export const identifierSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a number')
  .transform(Number);

/** A number of any length, kept as it was written. */
export const numberSchema = z.custom<number>(isNumber, 'Invalid input: expected number');

/** Data types of brand attributes (partner-api.md section 2), taken to be those of transaction attributes, too. */
export const dataTypeSchema = z.enum(['string', 'number', 'boolean', 'date']);

type DataType = z.output<typeof dataTypeSchema>;

const dateSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** True when a JSON value is of the data type; a date is ISO 8601 text, with or without a time. */
export function isOfType(dataType: DataType, value: unknown): boolean {
  switch (dataType) {
    case 'number':
      return isNumber(value);
    case 'string':
    case 'boolean':
      return typeof value === dataType;
    case 'date':
      return dateSchema.safeParse(value).success;
    default:
      return dataType satisfies never;
  }
}

/** Extended (with its separators) or basic (without); midnight at a day's end is 24:00. */
const isoForm = (dash: string, colon: string): RegExp =>
  new RegExp(
    `^(?<year>\\d{4})${dash}(?<month>\\d\\d)${dash}(?<day>\\d\\d)T` +
      `(?:(?:[01]\\d|2[0-3])(?:${colon}[0-5]\\d(?:${colon}[0-5]\\d(?:[.,]\\d{1,9})?)?)?` +
      `|24(?:${colon}00(?:${colon}00(?:[.,]0{1,9})?)?)?)` +
      '(?:Z|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)?$',
  );

const isoForms = [isoForm('-', ':'), isoForm('', '')];

/**
 * Whether a text is an ISO 8601 timestamp (partner-api.md 4.7) of a day of the calendar: extended or basic, with or
 * without a zone and a fraction of a second.
 */
export function isIsoTimestamp(text: string): boolean {
  return isoForms.some((form) => {
    const { year, month, day } = form.exec(text)?.groups ?? {};
    const date = `${year}-${month}-${day}`;
    const epochMs = Date.parse(`${date}T00:00:00Z`);
    return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(date);
  });
}

/** An ISO 8601 timestamp, kept as it was sent. */
export const isoTimestampSchema = z.string().refine(isIsoTimestamp, 'must be an ISO 8601 timestamp');

/** The largest time that a Date can hold (ECMA-262, 21.4.1.1). */
export const epochMsMax = 8_640_000_000_000_000;

const dateTimePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;
const millisecondsPattern = /^\d{1,16}$/;

/**
 * Epoch milliseconds of `yyyy-MM-ddTHH:mm:ss.SSSZ`, where the last letter of the pattern is `Z` or an offset as `+0100`
 * or `+01:00`, or of a number of milliseconds (partner-api.md 4.5). Null when it is neither, or no date of the calendar.
 */
export function parseTimestamp(text: string): number | null {
  return millisecondsPattern.test(text) ? atMost(Number(text), epochMsMax) : parseDateTime(text);
}

function parseDateTime(text: string): number | null {
  const [, local = '', offset = ''] = dateTimePattern.exec(text) ?? [];
  const localMs = Date.parse(`${local}Z`);
  if (Number.isNaN(localMs) || new Date(localMs).toISOString() !== `${local}Z`) return null;
  return localMs - offsetMs(offset);
}

/** `Z` is none. */
function offsetMs(text: string): number {
  const size = (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))) * 60_000;
  if (text === 'Z') return 0;
  return text.startsWith('-') ? -size : size;
}

function atMost(value: number, max: number): number | null {
  return value <= max ? value : null;
}

/** A query parameter that is a timestamp, as epoch milliseconds. */
export const timestampSchema = z.string().transform((text, context) => {
  const epochMs = parseTimestamp(text);
  if (epochMs !== null) return epochMs;
  context.addIssue({ code: 'custom', message: 'must be yyyy-MM-ddTHH:mm:ss.SSSZ or a time in milliseconds' });
  return z.NEVER;
});
