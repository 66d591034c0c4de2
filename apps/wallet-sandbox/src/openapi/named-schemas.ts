import { z } from 'zod';
import { brandAttributeSchema } from '../contract/brand-attribute-body.js';
import { brandSchema } from '../contract/brand-body.js';
import { issueBodySchema, workflowBodySchema } from '../contract/pass-content.js';
import { templateSchema } from '../contract/template-body.js';
import { transactionAttributeSchema } from '../contract/transaction-attribute-body.js';
import { transactionBodySchema, transactionSchema } from '../contract/transaction-body.js';
import { transactionTypeSchema } from '../contract/transaction-type-body.js';
import { walletPassPageSchema } from '../contract/wallet-pass-page.js';
import { walletPassSchema } from '../contract/wallet-pass.js';

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
