export { partnerIdSchema, type PartnerId } from './partner-id.js';
export { passDataSchema, walletPassSchema, type PassData, type WalletPass } from './wallet-pass.js';
export { issueBodySchema, passDataInputSchema, personInputSchema, type IssueBody } from './issue-body.js';
export {
  amountTextSchema,
  transactionBodySchema,
  transactionSchema,
  type PartnerTransaction,
  type TransactionBody,
} from './transaction.js';
export { rewardAnswerSchema, rewardQuerySchema, type RewardAnswer, type RewardQuery } from './reward.js';
export { tokenAnswerSchema, tokenFormSchema, type TokenAnswer, type TokenForm } from './token.js';
