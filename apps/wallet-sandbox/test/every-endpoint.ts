import { z } from 'zod';
import {
  brandAttributeSchema,
  brandSchema,
  templateSchema,
  transactionAttributeSchema,
  transactionTypeSchema,
} from '../src/contract/administration-bodies.js';
import { transactionSchema } from '../src/contract/transaction-body.js';
import { walletPassPageSchema, walletPassSchema } from '../src/contract/wallet-pass.js';
import type { Reply, SandboxClient } from './sandbox-client.js';

/** One endpoint of the partner's API, with a request that succeeds when `m_1` has a pass. A new endpoint is one row. */
export interface EndpointCase {
  /** The name that fault rules and the ledger use. */
  readonly operation: string;
  /** What a success is answered with, and nothing more. */
  readonly answer: z.ZodType;
  /** Method and path of the request, with its query. */
  readonly target: string;
  readonly body?: unknown;
  /** Ledger entries that a success leaves. */
  readonly effects: 0 | 1;
  /** Ledger entries that the same request leaves when it comes twice. */
  readonly effectsOfTwo: 0 | 1 | 2;
}

const program = '/brands/101/programs/2001';
const readOnly = { effects: 0, effectsOfTwo: 0 } as const;
/** What comes again is refused: its unique value is taken. */
const once = { effects: 1, effectsOfTwo: 1 } as const;
const everyTime = { effects: 1, effectsOfTwo: 2 } as const;

const member = (memberId: string): object => ({ passdata: { points: 100, metaData: { memberId } } });

export const tokenCase: EndpointCase = {
  operation: 'token',
  answer: z.object({ access_token: z.string(), expires_in: z.literal(3600), token_type: z.literal('Bearer') }),
  target: 'POST /oauth2/token',
  body: 'grant_type=client_credentials&client_id=sandbox&client_secret=sandbox&scope=admin',
  ...readOnly,
};

export const partnerCases: readonly EndpointCase[] = [
  {
    operation: 'lookup',
    answer: walletPassSchema,
    target: `GET ${program}/wallets?unique_id=m_1`,
    ...readOnly,
  },
  {
    operation: 'issue',
    answer: walletPassSchema,
    target: `POST ${program}/issue-wallet`,
    body: member('m_2'),
    ...once,
  },
  {
    operation: 'issue-via-workflow',
    answer: walletPassSchema,
    target: 'POST /brands/101/programs/2002/workflows/77/wallet-passes',
    body: member('m_2'),
    ...once,
  },
  {
    operation: 'update-via-workflow',
    answer: walletPassSchema,
    target: `POST ${program}/workflows/78/wallet-passes`,
    body: { ...member('m_1'), templateTierId: 2 },
    ...everyTime,
  },
  {
    operation: 'schedule-update',
    answer: z.object({ message: z.string() }),
    target: `PATCH ${program}/wallets/schedule?unique_id=m_1`,
    body: { scheduledName: 'spring', scheduledTimestamp: 4_102_444_800_000, update: { templateTierId: 2 } },
    ...everyTime,
  },
  {
    operation: 'list',
    answer: walletPassPageSchema,
    target: `GET ${program}/wallet-passes?pageSize=10`,
    ...readOnly,
  },
  {
    operation: 'reward',
    answer: walletPassSchema,
    target: `POST ${program}/rewards/9001/wallet-pass?unique_id=m_1`,
    ...everyTime,
  },
  {
    operation: 'transaction',
    answer: transactionSchema,
    target: `POST ${program}/transaction-types/31/transactions?unique_id=m_1`,
    body: { amount: 59.99, transactionDate: '2026-11-21T09:15:04.000Z', attributes: { receipt: 'R1' } },
    ...once,
  },
  {
    operation: 'update-transaction-type',
    answer: transactionTypeSchema,
    target: `PATCH ${program}/transaction-types/31`,
    body: { name: 'sale' },
    ...everyTime,
  },
  {
    operation: 'create-transaction-attribute',
    answer: transactionAttributeSchema,
    target: `POST ${program}/transaction-types/31/attributes`,
    body: { name: 'till', dataType: 'string', required: false },
    ...once,
  },
  {
    operation: 'create-brand-attribute',
    answer: brandAttributeSchema,
    target: 'POST /brands/101/attributes',
    body: { name: 'colour', dataType: 'string', searchable: false, unique: false },
    ...once,
  },
  {
    operation: 'update-brand-attribute',
    answer: brandAttributeSchema,
    target: 'PATCH /brands/101/attributes/501',
    body: { description: 'the key of the shop' },
    ...everyTime,
  },
  {
    operation: 'create-template',
    answer: templateSchema,
    target: `POST ${program}/templates`,
    body: { name: 'winter', passType: 'GENERIC' },
    ...everyTime,
  },
  {
    operation: 'update-brand',
    answer: brandSchema,
    target: 'PATCH /brands/101',
    body: { name: 'Coffee' },
    ...everyTime,
  },
];

export const everyCase: readonly EndpointCase[] = [tokenCase, ...partnerCases];

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends the request of a row. */
export function sendCase(client: SandboxClient, { operation, target, body }: EndpointCase): Promise<Reply> {
  return client.send(target, body, operation === 'token' ? formHeaders : {});
}
