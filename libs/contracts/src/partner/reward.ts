import { z } from 'zod';
import { type WalletPass, walletPassSchema } from './wallet-pass.js';

/** Query of 4.6 in partner-api.md; there is no body. The other two identifying parameters are named by the dialect. */
export const rewardQuerySchema = z.strictObject({ unique_id: z.string().min(1) });

/** Answer of 4.6: the pass after the reward. */
export const rewardAnswerSchema = walletPassSchema;

export type RewardQuery = z.infer<typeof rewardQuerySchema>;
export type RewardAnswer = WalletPass;
