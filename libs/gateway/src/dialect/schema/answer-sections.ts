import { z } from 'zod';
import { DUPLICATE_PATTERN, NO_PASS_PATTERN } from '../default-patterns.js';
import { partnerName, pattern, successStatuses } from './entries.js';

export const successSection = z.strictObject({
  statuses: successStatuses
    .default('2xx')
    .describe('Statuses of a successful call. Any other 2xx is an unknown outcome.'),
});

export const emptySuccess = z
  .enum(['applied', 'unknown'])
  .default('unknown')
  .describe('What a successful status without a body means.');

export const tooManyRequests = z
  .enum(['not-applied', 'unknown'])
  .default('not-applied')
  .describe('Whether a 429 proves that nothing was done.');

export const statusSection = z.strictObject({
  numbers: z
    .record(partnerName, z.int())
    .default({ ACTIVE: 200 })
    .describe(
      'The number that accompanies each statusCode of a pass. A pass that deviates raises the shape alarm `status`.',
    ),
});

export const noSuchPassSection = z.strictObject({
  pattern: pattern
    .default(NO_PASS_PATTERN)
    .describe('What the message of a refused transaction or reward must match to mean "this member has no pass".'),
});

export const duplicateSection = z.strictObject({
  pattern: pattern
    .default(DUPLICATE_PATTERN)
    .describe('Words of a duplicate refusal. The message must also name the sent value or its attribute.'),
  identifierNames: z
    .array(partnerName)
    .default(['unique_id', 'unique id', 'unique identifier', 'uniqueId', 'email', 'member', 'person', 'pass', 'card'])
    .describe('Words that stand for the unique identifier in the refusal of an issue, beside its metaData key.'),
});
