import { z } from 'zod';

const id = z.string().min(1).max(512);
const jsonObject = z.record(z.string(), z.json());

const reference = {
  brandId: id,
  programId: id,
  uniqueId: id,
  uniqueIdKey: id,
  by: z.strictObject({ parameter: z.enum(['email', 'person_id']), value: id }).optional(),
  passId: id.optional(),
  serialNumber: id.optional(),
};

const content = z.strictObject({
  person: jsonObject.optional(),
  passdata: jsonObject.optional(),
  tierId: z.number().int().nullable().optional(),
  message: z.string().nullable().optional(),
  groupId: z.string().nullable().optional(),
  smsSubscription: z
    .union([z.literal(200), z.literal(300), z.literal(900)])
    .nullable()
    .optional(),
  templateId: z.number().int().nullable().optional(),
  ipAddress: z.string().optional(),
});

const workflow = { ...reference, workflowId: id, content };

/** A command as it may be corrected to: strictly what delivery knows to send (`PartnerCommand` of the domain). */
export const commandSchema = z.discriminatedUnion('operation', [
  z.strictObject({ operation: z.literal('issue'), ...reference, content }),
  z.strictObject({ operation: z.literal('issue-via-workflow'), ...workflow }),
  z.strictObject({ operation: z.literal('update-via-workflow'), ...workflow }),
  z.strictObject({
    operation: z.literal('transaction'),
    ...reference,
    transactionTypeId: id,
    amount: z.string().regex(/^-?\d{1,18}(\.\d{1,6})?$/, 'an exact decimal number as text'),
    transactionDate: z.iso.datetime(),
    attributes: jsonObject,
    /** Its value is that of the attribute, and whether it is enforced is not for a correction to say: both may be left out. */
    uniqueAttribute: z
      .strictObject({ name: id, value: z.string().optional(), enforced: z.boolean().optional() })
      .optional(),
    pointsDelta: z.number().optional(),
  }),
  z.strictObject({ operation: z.literal('reward'), ...reference, rewardId: id, pointsDelta: z.number().optional() }),
  z.strictObject({ operation: z.literal('schedule-update'), ...reference, scheduledName: z.string(), content }),
]);
