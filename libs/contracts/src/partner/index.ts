export { partnerIdSchema, type PartnerId } from './partner-id.js';
export { exactNumberSchema, isExactAsFloat, type ExactNumber } from './exact-number.js';
export { partnerNameSchema, partnerTextCharsMax, partnerTextSchema } from './partner-text.js';
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
export { scheduleAnswerSchema, scheduleTimeSchema, type ScheduleAnswer, type ScheduleTime } from './schedule.js';
export { QUERY_TYPES, walletPageSchema, walletPageSizeMax, type QueryType } from './wallet-page.js';
export { brandChangeSchema, brandSchema, type Brand, type BrandChange } from './brand.js';
export {
  ATTRIBUTE_DATA_TYPES,
  brandAttributeChangeSchema,
  brandAttributeInputSchema,
  brandAttributeSchema,
  type AttributeDataType,
  type BrandAttribute,
  type BrandAttributeChange,
  type BrandAttributeInput,
} from './brand-attribute.js';
export { templateInputSchema, templateSchema, type TemplateInput, type WalletTemplate } from './template.js';
export {
  transactionTypeChangeSchema,
  transactionTypeSchema,
  type TransactionType,
  type TransactionTypeChange,
} from './transaction-type.js';
export {
  transactionAttributeInputSchema,
  transactionAttributeSchema,
  type TransactionAttribute,
  type TransactionAttributeInput,
} from './transaction-attribute.js';
