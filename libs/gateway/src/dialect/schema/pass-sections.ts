import { z } from 'zod';
import { NO_PASS_PATTERN } from '../default-patterns.js';
import { httpStatus, name, pattern } from './entries.js';

export const lookupSection = z.strictObject({
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
  severalMatches: z
    .enum(['ours', 'first', 'failed'])
    .default('ours')
    .describe(
      'What a lookup answered with a list (an array, or `{data: []}`) means. `ours`: the one pass that carries our id; ' +
        'with several the lookup has failed. `first`: the first of those. `failed`: a list is no answer.',
    ),
  emptyList: z
    .enum(['absent', 'failed'])
    .default('failed')
    .describe('What a lookup answered with an empty list means.'),
});

const ALTERNATIVE = 'A command that does not know it is sent with unique_id.';

export const transactionSection = z.strictObject({
  negativeAmounts: z.boolean().default(true).describe('Whether a negative amount is accepted (refunds, 4.7).'),
  identifyBy: z
    .enum(['unique_id', 'serialNumber'])
    .default('unique_id')
    .describe(`What names the card of a transaction (4.7). ${ALTERNATIVE}`),
  serialNumberParameter: name('serialNumber', 'Query parameter that names a card by its serial number (4.7).'),
});

export const rewardSection = z.strictObject({
  identifyBy: z
    .enum(['unique_id', 'passId', 'serialNumber'])
    .default('unique_id')
    .describe(`What names the pass of a reward (4.6). ${ALTERNATIVE}`),
  passIdParameter: name('passId', 'Query parameter for the pass id (4.6).'),
  serialNumberParameter: name('serialNumber', 'Query parameter for the serial number (4.6).'),
});
