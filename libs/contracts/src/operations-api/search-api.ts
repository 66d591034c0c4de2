import { z } from 'zod';

import { idSchema, INTENT_OPERATIONS, mixedScriptsSchema, timeSchema } from './common.js';
import { INTENT_STATUSES } from './intents-api.js';
import { JOB_KINDS } from './jobs-api.js';

/** Hits of one kind that are told, at most. */
const hitsDefault = 8;
const hitsMax = 50;

/** The query of `GET /search`. */
export const searchQuerySchema = z.strictObject({
  q: idSchema.describe(
    'The beginning of an id that stands in the clear (members, purchases, stores, jobs, requests), in whichever case; what is sealed or known by a digest as a whole: cards, refunds, grants, and whom or what a record in quarantine names.',
  ),
  limit: z.coerce.number().int().min(1).max(hitsMax).default(hitsDefault).describe('Of each kind.'),
});

export type SearchQuery = z.output<typeof searchQuerySchema>;

const named = { program: z.string(), memberId: z.string(), mixedScripts: mixedScriptsSchema };

/** Numbers that are known by a digest alone, and lead to the intent that they belong to. */
export const NUMBER_KINDS = ['refund', 'return', 'correction', 'grant'] as const;

export const searchHitSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('intent'),
    id: z.string(),
    operation: z.enum(INTENT_OPERATIONS),
    status: z.enum(INTENT_STATUSES),
  }),
  z.object({ kind: z.literal('member'), ...named, isErased: z.boolean() }),
  z.object({
    kind: z.literal('purchase'),
    purchaseId: z.string(),
    ...named,
    intents: z.number().int().describe('How many of it are known: the sale, its refunds, its void.'),
    intent: z.string().nullable().describe('The only one; null: there are several.'),
  }),
  z.object({ kind: z.enum(NUMBER_KINDS), number: z.string(), intent: z.string() }),
  z.object({ kind: z.literal('card'), ...named }),
  z.object({
    kind: z.literal('store'),
    store: z.string(),
    intents: z.number().int().describe('Among the latest intents.'),
  }),
  z.object({
    kind: z.literal('job'),
    id: z.string(),
    jobKind: z.enum(JOB_KINDS),
    state: z.string(),
    program: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('record'),
    id: z.number().int(),
    state: z.enum(['open', 'resubmitted', 'discarded']),
    reason: z.string(),
    detail: z.string(),
    program: z.string().nullable(),
    recordedAt: timeSchema,
  }),
  z.object({
    kind: z.literal('request'),
    requestId: z.string(),
    entry: z.number().int().describe('Of the audit.'),
    action: z.string(),
    actor: z.string(),
    at: timeSchema,
  }),
]);

export type SearchHit = z.output<typeof searchHitSchema>;

/** By kind, those first of which one is most likely meant; kinds without a hit are left out. */
export const searchResultSchema = z.object({
  groups: z.array(
    z.object({
      kind: z.string(),
      items: z.array(searchHitSchema),
      hasMore: z.boolean().describe('More begin so: type more of it.'),
    }),
  ),
});

export type SearchResult = z.output<typeof searchResultSchema>;
