import { z } from 'zod';
import { distinctNames, name, partnerName, successStatuses } from './entries.js';

const issueNames = distinctNames(
  {
    ipAddress: name('ipAddress', 'IP address of the cardholder.'),
    tierId: name('templateTierId', 'Tier of the card; as WalletPass returns it.'),
    templateId: name('templateId', 'Template of the card; as WalletPass returns it.'),
    programId: name('programId', 'Program id, sent only with `issue.repeatIds`.'),
    brandId: name('brandId', 'Brand id, sent only with `issue.repeatIds`.'),
    groupId: name('groupId', 'Group of passes; as WalletPass returns it.'),
    currentMessage: name('currentMessage', 'Message that overrides the default one; as WalletPass returns it.'),
    smsSubscription: name('smsSubscription', 'SMS subscription value.'),
  },
  ['person', 'passdata'],
);

export const issueSection = z.strictObject({
  names: issueNames.prefault({}).describe('Names of the issue body beside person and passdata (4.2, 4.3).'),
  repeatIds: z.boolean().default(false).describe('Whether brand and program id are repeated in the issue body.'),
  repeatedIdType: z
    .enum(['string', 'number'])
    .default('string')
    .describe('How repeated brand and program ids are written; an id that is not a number stays a string.'),
  successStatuses: successStatuses
    .nullable()
    .default(null)
    .describe('Statuses of a successful issue (4.2), where they differ from `success.statuses`; null: they do not.'),
});

const DOCUMENTED_PERSON = ['firstName', 'lastName', 'email', 'phone'];

export const personSection = z.strictObject({
  attributesProperty: partnerName
    .refine((property) => !DOCUMENTED_PERSON.includes(property), 'is a documented property of its own')
    .nullable()
    .default(null)
    .describe('Property of `person` that holds the child attributes (4.2, 4.3); null: they lie beside firstName.'),
});

const smsValue = (
  value: 200 | 300 | 900,
  meaning: string,
): z.ZodDefault<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>> =>
  z
    .union([z.int(), z.string().min(1).max(100)])
    .default(value)
    .describe(meaning);

export const smsSection = z.strictObject({
  promotional: smsValue(200, 'What is sent for PROMOTIONAL.'),
  transactional: smsValue(300, 'What is sent for TRANSACTIONAL.'),
  optedOut: smsValue(900, 'What is sent for OPTED_OUT.'),
});
