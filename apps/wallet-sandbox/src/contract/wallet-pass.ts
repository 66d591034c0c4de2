import { z } from 'zod';

/** PassData of partner-api.md section 2, as it is answered. */
const passDataSchema = z
  .object({
    optOut: z.boolean(),
    points: z.number(),
    seat: z.string(),
    row: z.string(),
    section: z.string(),
    gate: z.string(),
    expiryDate: z.string(),
    status: z.string(),
    profileImage: z.string(),
    metaData: z.record(z.string(), z.unknown()),
  })
  .partial();

/** WalletPass of partner-api.md section 2, as it is answered. */
export const walletPassSchema = z.object({
  passId: z.int(),
  serialNumber: z.string(),
  templateId: z.int(),
  groupId: z.string().optional(),
  personId: z.string(),
  templateTierId: z.int().optional(),
  currentMessage: z.string().optional(),
  passdata: passDataSchema,
  downloadUrl: z.url(),
  downloadUrlApple: z.url(),
  downloadUrlGoogle: z.url(),
  statusCode: z.string(),
  status: z.int(),
});
