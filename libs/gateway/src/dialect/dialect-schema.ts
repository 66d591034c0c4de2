import { z } from 'zod';
import { patternCharsMax } from '../limits.js';
import { DUPLICATE_PATTERN, NO_PASS_PATTERN } from './default-patterns.js';

const propertyName = z.string().min(1).max(100);
const httpStatus = z.int().min(100).max(599);

const pattern = z.string().min(1).max(patternCharsMax).refine(isPattern, 'is not a valid regular expression');

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'iu') instanceof RegExp;
  } catch {
    return false;
  }
}

const name = (fallback: string, meaning: string): z.ZodDefault<typeof propertyName> =>
  propertyName.default(fallback).describe(meaning);

const issueNamesSchema = z
  .strictObject({
    ipAddress: name('ipAddress', 'IP address of the cardholder.'),
    tierId: name('templateTierId', 'Tier of the card; as WalletPass returns it.'),
    templateId: name('templateId', 'Template of the card; as WalletPass returns it.'),
    programId: name('programId', 'Program id, sent only with `issue.repeatIds`.'),
    brandId: name('brandId', 'Brand id, sent only with `issue.repeatIds`.'),
    groupId: name('groupId', 'Group of passes; as WalletPass returns it.'),
    currentMessage: name('currentMessage', 'Message that overrides the default one; as WalletPass returns it.'),
    smsSubscription: name('smsSubscription', 'SMS subscription value: 200, 300 or 900.'),
  })
  .refine(
    (names) => new Set([...Object.values(names), 'person', 'passdata']).size === 10,
    'two properties share a name',
  );

const issueSchema = z.strictObject({
  names: issueNamesSchema.prefault({}).describe('Names of the issue body beside person and passdata (4.2, 4.3).'),
  repeatIds: z.boolean().default(false).describe('Whether brand and program id are repeated in the issue body.'),
  repeatedIdType: z
    .enum(['string', 'number'])
    .default('string')
    .describe('How repeated brand and program ids are written; an id that is not a number stays a string.'),
});

const lookupSchema = z.strictObject({
  absent: z
    .strictObject({
      statuses: z.array(httpStatus).min(1).default([400, 404]).describe('Statuses that can mean "no such pass" (4.1).'),
      pattern: pattern
        .default(NO_PASS_PATTERN)
        .describe('What the message must match for a refused lookup to mean "no such pass". Case is ignored.'),
    })
    .prefault({}),
  trustWithoutMetaData: z
    .boolean()
    .default(true)
    .describe('Whether a pass found by unique_id is taken as ours when the answer carries no metaData at all.'),
});

/**
 * Everything that partner-api.md leaves open and the five calls need, each with the default we assume
 * (contracts.md section 6). Strict: an unknown entry is an error, because a mistyped one would silently do nothing.
 */
export const dialectSchema = z.strictObject({
  issue: issueSchema.prefault({}),
  success: z
    .strictObject({
      statuses: z
        .union([z.literal('2xx'), z.array(httpStatus).min(1)])
        .default('2xx')
        .describe('Statuses of a successful call. Any other 2xx is an unknown outcome.'),
    })
    .prefault({}),
  emptySuccess: z
    .enum(['applied', 'unknown'])
    .default('unknown')
    .describe('What a successful status without a body means.'),
  tooManyRequests: z
    .enum(['not-applied', 'unknown'])
    .default('not-applied')
    .describe('Whether a 429 proves that nothing was done.'),
  lookup: lookupSchema.prefault({}),
  noSuchPass: z
    .strictObject({
      pattern: pattern
        .default(NO_PASS_PATTERN)
        .describe('What the message of a refused transaction or reward must match to mean "this member has no pass".'),
    })
    .prefault({}),
  duplicate: z
    .strictObject({
      pattern: pattern
        .default(DUPLICATE_PATTERN)
        .describe('Words of a duplicate refusal. The message must also name the sent value or its attribute.'),
      identifierNames: z
        .array(propertyName)
        .default([
          'unique_id',
          'unique id',
          'unique identifier',
          'uniqueId',
          'email',
          'member',
          'person',
          'pass',
          'card',
        ])
        .describe('Words that stand for the unique identifier in the refusal of an issue, beside its metaData key.'),
    })
    .prefault({}),
  transaction: z
    .strictObject({
      negativeAmounts: z.boolean().default(true).describe('Whether a negative amount is accepted (refunds, 4.7).'),
      serialNumberParameter: name(
        'serialNumber',
        'Query parameter that names a card by its serial number (4.7). Not sent while cards are named by unique_id.',
      ),
    })
    .prefault({}),
  reward: z
    .strictObject({
      passIdParameter: name('passId', 'Query parameter for the pass id (4.6). Not sent, see above.'),
      serialNumberParameter: name('serialNumber', 'Query parameter for the serial number (4.6). Not sent, see above.'),
    })
    .prefault({}),
  schedule: z
    .strictObject({
      changeProperty: propertyName
        .nullable()
        .default(null)
        .describe('Body property of 4.4 that carries the change. Without it `update: {via: schedule}` is refused.'),
    })
    .prefault({}),
});

/** A dialect with every default filled in: plain data. */
export type Dialect = z.infer<typeof dialectSchema>;

/** What a file or a program may write: any part of it. */
export type DialectInput = z.input<typeof dialectSchema>;
