import { z } from 'zod';
import { walletPassSchema } from './wallet-pass.js';

/** Answer of 4.5. */
export const walletPassPageSchema = z.object({
  data: z.array(walletPassSchema),
  pageNumber: z.int(),
  pageSize: z.int(),
  totalCount: z.int(),
});

export type WalletPassPage = z.output<typeof walletPassPageSchema>;
