import { z } from 'zod';
import { epochMsMax, storableTextSchema } from './field-schemas.js';
import { workflowBodySchema } from './wallet-pass.js';

/** Query of 4.4: narrows the passes beside the body's filters. */
export const scheduleQuerySchema = z
  .strictObject({ person_id: storableTextSchema, email: storableTextSchema, unique_id: storableTextSchema })
  .partial();

/** Apart from unique_id the keys are not shown in 4.4 and are this sandbox's choice. */
export const scheduleFiltersSchema = z
  .strictObject({
    unique_id: storableTextSchema,
    person_id: storableTextSchema,
    email: storableTextSchema,
    serialNumber: storableTextSchema,
    groupId: storableTextSchema,
    templateId: z.int(),
    templateTierId: z.int(),
    /** A status's name or its number. */
    statusCode: z.union([storableTextSchema, z.int().nonnegative()]),
  })
  .partial();

const changeSchema = workflowBodySchema.refine((change) => Object.keys(change).length > 0, 'changes nothing');

/**
 * Body of 4.4. The names of the date-time and of the time zone, and which change is made, are not shown there and are this
 * sandbox's choice; the documented body alone makes a schedule that changes nothing. The pair is taken whatever it is: a
 * timestamp makes it meaningless, and only then is it judged.
 */
export const scheduleBodySchema = z.strictObject({
  scheduledName: z.string().optional(),
  scheduledTimestamp: z.int().nonnegative().max(epochMsMax).optional(),
  scheduledDateTime: z.unknown().optional(),
  timeZone: z.unknown().optional(),
  filters: scheduleFiltersSchema.optional(),
  update: changeSchema.optional(),
});

export type ScheduleQuery = z.output<typeof scheduleQuerySchema>;
export type ScheduleBody = z.output<typeof scheduleBodySchema>;
