import { z } from 'zod';
import {
  brandAttributeSchema,
  brandSchema,
  templateSchema,
  transactionAttributeSchema,
  transactionTypeSchema,
} from '../contract/administration-bodies.js';
import { transactionBodySchema, transactionSchema } from '../contract/transaction-body.js';
import {
  issueBodySchema,
  walletPassPageSchema,
  walletPassSchema,
  workflowBodySchema,
} from '../contract/wallet-pass.js';

/** Every error's body (partner-api.md section 7). */
export const errorSchema = z.looseObject({ message: z.string() });

/** Names under which generated clients know what partner-api.md section 2 names; other schemas stand where they are used. */
export const namedSchemas: readonly (readonly [name: string, schema: z.ZodType])[] = [
  ['WalletPass', walletPassSchema],
  ['WalletPassPage', walletPassPageSchema],
  ['Brand', brandSchema],
  ['BrandAttribute', brandAttributeSchema],
  ['TransactionAttribute', transactionAttributeSchema],
  ['TransactionType', transactionTypeSchema],
  ['Transaction', transactionSchema],
  ['WalletTemplate', templateSchema],
  ['IssueBody', issueBodySchema],
  ['WorkflowBody', workflowBodySchema],
  ['TransactionBody', transactionBodySchema],
  ['Error', errorSchema],
];
