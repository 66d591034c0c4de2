import { z } from 'zod';
import { exactNumberSchema, partnerIdSchema, partnerNameSchema } from './values.js';

/**
 * Answer of the token request. The token must fit into a header; `expires_in` is in seconds, and may be missing or
 * unreadable (RFC 6749 section 5.1 only recommends it).
 */
export const tokenAnswerSchema = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  token_type: z.string().optional().catch(undefined),
});

export type TokenAnswer = z.infer<typeof tokenAnswerSchema>;

/** PassData of partner-api.md section 2. Unknown fields are kept; an explicit null counts as absent. */
const passDataSchema = z.looseObject({
  optOut: z.boolean().nullish(),
  points: exactNumberSchema.nullish(),
  seat: z.string().nullish(),
  row: z.string().nullish(),
  section: z.string().nullish(),
  gate: z.string().nullish(),
  expiryDate: z.string().nullish(),
  status: z.string().nullish(),
  profileImage: z.string().nullish(),
  metaData: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * WalletPass as partner-api.md section 2 documents it: what deviates raises a shape alarm, nothing more. Unknown
 * fields are kept.
 */
export const walletPassSchema = z.looseObject({
  passId: partnerIdSchema.nullish(),
  serialNumber: z.string(),
  templateId: partnerIdSchema,
  groupId: z.string().nullish(),
  personId: z.string().nullish(),
  templateTierId: partnerIdSchema.nullish(),
  currentMessage: z.string().nullish(),
  passdata: passDataSchema.nullish(),
  downloadUrl: z.string().nullish(),
  downloadUrlApple: z.string().nullish(),
  downloadUrlGoogle: z.string().nullish(),
  statusCode: z.string().nullish(),
  status: z.number().nullish(),
});

/**
 * A pass as it could be read: every field may be absent, a mistyped one was left out and reported as an alarm. `isDead`: by the
 * dialect its status is that of no card any more; the partner does not say it, and it is sent nowhere.
 */
export type WalletPass = Partial<z.infer<typeof walletPassSchema>> & { readonly isDead?: true };

/** Largest page of 4.5 (partner-api.md section 8). */
export const walletPageSizeMax = 2_000;

/** Query types of 4.5's status and last-updated filters. */
export const QUERY_TYPES = ['eq', 'lt', 'gt', 'lte', 'gte'] as const;

export type QueryType = (typeof QUERY_TYPES)[number];

/** The answer of 4.5; the rows are read one by one, so that an odd one costs no page. Unknown fields are kept. */
export const walletPageSchema = z.looseObject({
  data: z.array(z.unknown()),
  pageNumber: z.int(),
  pageSize: z.int(),
  totalCount: z.int().nonnegative(),
});

/** Person input of partner-api.md section 2. Child attributes exist under names that are not shown: kept as mapped. */
const personInputSchema = z.looseObject({
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
});

/**
 * PassData as sent: without metaData there is no way to find the pass again, so it must be there. A null clears a
 * field where a workflow updates (4.3).
 */
const passDataInputSchema = passDataSchema.extend({
  points: z.number().nullish(),
  metaData: z.looseObject({}),
});

/**
 * Body of 4.2 and 4.3 in partner-api.md. The names of the further properties (tier, template, group, message, SMS
 * subscription, IP address, brand and program ids) are not shown: the dialect gives them.
 */
export const issueBodySchema = z.looseObject({ person: personInputSchema.optional(), passdata: passDataInputSchema });

/** Query of 4.6 in partner-api.md; there is no body. The other two identifying parameters are named by the dialect. */
export const rewardQuerySchema = z.strictObject({ unique_id: z.string().min(1) });

/** A time of day without an offset, `2026-12-01T09:00:00`: it means something only together with a time zone. */
export const localDateTimeSchema = z.iso.datetime({ local: true, precision: 0 }).refine((text) => !text.endsWith('Z'), {
  error: 'must be a date and time without an offset',
});

/**
 * When a scheduled change happens: epoch milliseconds (`scheduledTimestamp`), or a date-time and an IANA time zone,
 * which partner-api.md 4.4 provides as a pair.
 */
export const scheduleTimeSchema = z.union([
  z.strictObject({ timestampMs: z.int().nonnegative() }),
  z.strictObject({ dateTime: localDateTimeSchema, timeZone: partnerNameSchema }),
]);

/** The answer of 4.4: a confirmation. Unknown fields are kept. */
export const scheduleAnswerSchema = z.looseObject({ message: z.string() });

export type ScheduleTime = z.infer<typeof scheduleTimeSchema>;

/** A confirmation as it could be read. */
export type ScheduleAnswer = Partial<z.infer<typeof scheduleAnswerSchema>>;
