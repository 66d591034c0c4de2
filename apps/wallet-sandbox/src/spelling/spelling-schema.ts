import { z } from 'zod';
import { type PlaceName, places } from './places.js';

/** Canonical name -> how it is spelled. */
type Names<Name extends PlaceName> = Partial<Record<(typeof places)[Name]['open'][number], string>>;

const nameSchema = z.string().min(1).max(100);

/** Canonical name -> how this sandbox shall spell it, for one place; names that meet there must differ. */
function placeSchema<Name extends PlaceName>(name: Name): z.ZodType<Names<Name>> {
  const open: readonly string[] = places[name].open;
  const documented: readonly string[] = places[name].documented;
  return z.partialRecord(z.enum(open), nameSchema).check(({ value, issues }) => {
    const all = [...open.map((canonical) => value[canonical] ?? canonical), ...documented];
    const repeated = all.find((spelled, index) => all.indexOf(spelled) !== index);
    if (repeated === undefined) return;
    issues.push({ code: 'custom', input: value, path: [], message: `${repeated} would be the name of two things` });
  });
}

const scalarSchema = z.union([nameSchema, z.int()]);

/** Section `spelling` of a seed: every name, value and number that partner-api.md does not show, otherwise. */
export const spellingSchema = z.strictObject({
  issue: placeSchema('issue').prefault({}),
  list: placeSchema('list').prefault({}),
  reward: placeSchema('reward').prefault({}),
  transaction: placeSchema('transaction').prefault({}),
  schedule: placeSchema('schedule').prefault({}),
  scheduleFilters: placeSchema('scheduleFilters').prefault({}),
  brandAttribute: placeSchema('brandAttribute').prefault({}),
  transactionAttribute: placeSchema('transactionAttribute').prefault({}),
  /** Property of `person` that holds the child attributes; null: they lie beside firstName. */
  personAttributes: nameSchema.nullable().default(null),
  /** Data types of transaction attributes; those of brand attributes are shown. */
  dataTypes: z.partialRecord(z.enum(['string', 'number', 'boolean', 'date']), nameSchema).prefault({}),
  /** What stands for 200, 300 and 900. */
  smsValues: z.partialRecord(z.enum(['200', '300', '900']), scalarSchema).prefault({}),
  /** Names and numbers of a pass's status: ACTIVE, 200. */
  statusNames: z.record(z.string(), nameSchema).prefault({}),
  statusNumbers: z.record(z.string().regex(/^\d{1,9}$/), z.int().nonnegative()).prefault({}),
  firstPage: z.int().min(0).max(1_000).default(1),
  countOnlyTrue: nameSchema.default('true'),
  /** Status of a successful issue (4.2) and of whatever else is created (4.9, 4.10, 4.12). */
  createdStatus: z.int().min(200).max(299).default(200),
  /** A lookup (4.1) that several passes fit: the newest, an array, or `{data: []}`. */
  severalMatches: z.enum(['newest', 'array', 'data']).default('newest'),
});

export type SpellingChoice = z.output<typeof spellingSchema>;
