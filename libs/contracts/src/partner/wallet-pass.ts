import { z } from 'zod';

/** PassData of partner-api.md section 2. Unknown fields are kept. */
export const passDataSchema = z.looseObject({
  optOut: z.boolean().nullish(),
  points: z.number().nullish(),
  metaData: z.record(z.string(), z.unknown()).nullish(),
});

/** WalletPass of partner-api.md section 2, as answered by most pass operations. Unknown fields are kept. */
export const walletPassSchema = z.looseObject({
  passId: z.union([z.number(), z.string()]).nullish(),
  serialNumber: z.string(),
  templateId: z.number(),
  personId: z.string().nullish(),
  passdata: passDataSchema.nullish(),
  downloadUrl: z.string().nullish(),
  downloadUrlApple: z.string().nullish(),
  downloadUrlGoogle: z.string().nullish(),
  statusCode: z.string().nullish(),
  status: z.number().nullish(),
});

export type WalletPass = z.infer<typeof walletPassSchema>;
