import { z } from 'zod';
import { exactNumberSchema } from './exact-number.js';
import { partnerIdSchema } from './partner-id.js';

/** PassData of partner-api.md section 2. Unknown fields are kept; an explicit null counts as absent. */
export const passDataSchema = z.looseObject({
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

export type PassData = z.infer<typeof passDataSchema>;

/** A pass as it could be read: every field may be absent, a mistyped one was left out and told in an alarm. */
export type WalletPass = Partial<z.infer<typeof walletPassSchema>>;
