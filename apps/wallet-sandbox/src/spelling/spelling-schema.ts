import { z } from 'zod';

/** A place where requests or answers have names that partner-api.md does not show. */
interface Place<Open extends string> {
  /** Names that are not shown: this sandbox's choice, and a seed may choose otherwise. */
  readonly open: readonly Open[];
  /** Names that are shown: a chosen one must not be one of them. */
  readonly documented: readonly string[];
}

const place = <Open extends string>(open: readonly Open[], documented: readonly string[]): Place<Open> => ({
  open,
  documented,
});

export const places = {
  /** Body of 4.2 and 4.3, and the change of 4.4. */
  issue: place(
    [
      'ipAddress',
      'templateTierId',
      'templateId',
      'programId',
      'brandId',
      'groupId',
      'currentMessage',
      'smsSubscription',
    ],
    ['person', 'passdata'],
  ),
  /** Query of 4.5. */
  list: place(
    [
      'pageSize',
      'pageNumber',
      'countOnly',
      'templateId',
      'templateTierId',
      'statusCode',
      'statusCodeQueryType',
      'lastUpdated',
      'lastUpdatedQueryType',
      'lastUpdatedStartDate',
      'lastUpdatedEndDate',
      'serialNumber',
      'groupId',
    ],
    ['email', 'unique_id'],
  ),
  /** Query of 4.6. */
  reward: place(['passId', 'serialNumber'], ['unique_id']),
  /** Query of 4.7. */
  transaction: place(['serialNumber'], ['unique_id']),
  /** Body of 4.4. */
  schedule: place(['scheduledDateTime', 'timeZone', 'update'], ['scheduledName', 'scheduledTimestamp', 'filters']),
  /** `filters` of 4.4's body. */
  scheduleFilters: place(
    ['person_id', 'email', 'serialNumber', 'groupId', 'templateId', 'templateTierId', 'statusCode'],
    ['unique_id'],
  ),
  /** Body and answer of 4.10 and 4.11. */
  brandAttribute: place(
    ['brandId', 'required', 'encrypted', 'statusCode'],
    ['brandAttributeId', 'name', 'description', 'dataType', 'searchable', 'unique'],
  ),
  /** Body and answer of 4.9. */
  transactionAttribute: place(
    ['description', 'transactionTypeId', 'brandId', 'programId', 'type', 'uniqueKey', 'encrypted'],
    ['transactionAttributeId', 'name', 'dataType', 'required'],
  ),
} as const;

export type PlaceName = keyof typeof places;

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
  /** Where 4.4 carries the change: in the property `update`, or in properties beside scheduledName. */
  scheduleChange: z.enum(['property', 'top-level']).default('property'),
  /** Form of the date-time of 4.4: `2026-12-01T09:00:00`, that with `.000`, `2026-12-01 09:00:00`, `20261201T090000`. */
  scheduleDateTime: z.enum(['iso', 'iso-milliseconds', 'space', 'compact']).default('iso'),
  /** What stands for the time zone of 4.4: an IANA name, or `+01:00`. */
  scheduleZone: z.enum(['name', 'offset']).default('name'),
  /** The one form of `transactionDate` that is taken; `any`: whatever is ISO 8601. */
  transactionDate: z.enum(['any', 'iso', 'iso-seconds', 'iso-offset', 'iso-local', 'compact']).default('any'),
  /** What must name the pass of a reward (4.6) and the card of a transaction (4.7); `any`: one of all. */
  rewardBy: z.enum(['any', 'unique_id', 'passId', 'serialNumber']).default('any'),
  transactionBy: z.enum(['any', 'unique_id', 'serialNumber']).default('any'),
  firstPage: z.int().min(0).max(1_000).default(1),
  countOnlyTrue: nameSchema.default('true'),
  /** Status of a successful issue: of 4.2 alone it is not shown. */
  createdStatus: z.int().min(200).max(299).default(200),
  /** Where a refusal of 4.4 to 4.13 has its words, whose errors are not shown: names and indexes between dots. */
  errorMessage: nameSchema.regex(/^[^.]+(?:\.[^.]+)*$/).default('message'),
  /** Status of what those refuse for what it says. */
  errorStatus: z.int().min(400).max(499).default(400),
  /** A lookup (4.1) that several passes fit: the newest, an array, or `{data: []}`. */
  severalMatches: z.enum(['newest', 'array', 'data']).default('newest'),
});

export type SpellingChoice = z.output<typeof spellingSchema>;
