import { z } from 'zod';
import {
  duplicateSection,
  noSuchPassSection,
  statusSection,
  successSection,
  tooManyRequests,
} from './schema/answer-sections.js';
import { brandAttributeSection, transactionAttributeSection } from './schema/attribute-sections.js';
import { issueSection, personSection, smsSection } from './schema/issue-section.js';
import { listSection } from './schema/list-section.js';
import { lookupSection, rewardSection, transactionSection } from './schema/pass-sections.js';
import { scheduleSection } from './schema/schedule-section.js';

/**
 * Everything that partner-api.md leaves open, each with the default we assume (contracts.md section 6). Strict: an
 * unknown entry is an error, because a mistyped one would silently do nothing.
 */
export const dialectSchema = z.strictObject({
  issue: issueSection.prefault({}),
  person: personSection.prefault({}),
  sms: smsSection.prefault({}),
  success: successSection.prefault({}),
  tooManyRequests,
  status: statusSection.prefault({}),
  lookup: lookupSection.prefault({}),
  list: listSection.prefault({}),
  noSuchPass: noSuchPassSection.prefault({}),
  duplicate: duplicateSection.prefault({}),
  transaction: transactionSection.prefault({}),
  reward: rewardSection.prefault({}),
  schedule: scheduleSection.prefault({}),
  brandAttribute: brandAttributeSection.prefault({}),
  transactionAttribute: transactionAttributeSection.prefault({}),
});

/** A dialect with every default filled in: plain data. */
export type Dialect = z.infer<typeof dialectSchema>;

/** What a file or a program may write: any part of it. */
export type DialectInput = z.input<typeof dialectSchema>;
