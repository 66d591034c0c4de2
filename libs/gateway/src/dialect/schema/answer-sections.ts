import { z } from 'zod';
import { DUPLICATE_PATTERN, NO_PASS_PATTERN } from '../default-patterns.js';
import { partnerName, pattern, successStatuses } from './entries.js';

const proofOf = (
  documented: string,
): z.ZodDefault<z.ZodEnum<{ documented: 'documented'; object: 'object'; any: 'any' }>> =>
  z
    .enum(['documented', 'object', 'any'])
    .default('documented')
    .describe(
      `What a successful status must be answered with to count as applied. \`documented\`: ${documented}. \`object\`: any ` +
        'JSON object. `any`: any JSON, or no body at all. What falls short is an unknown outcome.',
    );

const passDocumented = 'a pass with `passId` or `serialNumber`';

export const successSection = z.strictObject({
  statuses: successStatuses
    .default([200, 201])
    .describe('Statuses of a successful call. Any other 2xx is an unknown outcome.'),
  proof: z
    .strictObject({
      issue: proofOf(`${passDocumented} (4.2)`),
      'issue-via-workflow': proofOf(`${passDocumented} (4.3)`),
      'update-via-workflow': proofOf(`${passDocumented} (4.3)`),
      transaction: proofOf('a `transactionId` (4.7)'),
      reward: proofOf(`${passDocumented} (4.6)`),
      'schedule-update': proofOf('a `message` (4.4)'),
    })
    .prefault({}),
  requireMetaData: z
    .boolean()
    .default(false)
    .describe(
      'Whether a pass that is answered (4.2, 4.3, 4.6) must carry our id in its metaData to be proof. A pass whose ' +
        'metaData names another member never is.',
    ),
});

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
