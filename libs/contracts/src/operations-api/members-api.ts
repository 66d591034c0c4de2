import { z } from 'zod';
import {
  cursorSchema,
  idSchema,
  INTENT_OPERATIONS,
  limitSchema,
  mixedScriptsSchema,
  moneyViewSchema,
  reasonIfGivenSchema,
  reasonSchema,
  timeSchema,
} from './common.js';
import { intentViewSchema } from './intents-api.js';
import { quarantinedViewSchema } from './quarantine-api.js';

const maskedLinkSchema = z
  .string()
  .nullable()
  .describe('Masked: `POST /members/{program}/{memberId}/card-links` shows it. Null: the partner told none.');

const passSchema = z.object({
  passId: z.union([z.string(), z.number()]).nullable(),
  serialNumber: z.string().nullable(),
  downloadUrl: maskedLinkSchema,
  downloadUrlApple: maskedLinkSchema,
  downloadUrlGoogle: maskedLinkSchema,
  statusCode: z.unknown(),
});

/** One member: the pass, what is queued, and what came last. */
export const memberViewSchema = z.object({
  program: z.string(),
  memberId: z.string(),
  mixedScripts: mixedScriptsSchema,
  generation: z.number().int().describe('Rises when somebody who left enrols again.'),
  createdAt: timeSchema,
  isErased: z.boolean(),
  pass: passSchema.nullable().describe('As the partner last answered.'),
  passKnown: z.enum(['unknown', 'absent', 'known']),
  lane: z.object({
    state: z.enum(['live', 'waiting', 'blocked']),
    dueAt: timeSchema.nullable(),
    isHeld: z.boolean().describe('A process is working on it.'),
    next: z.string().nullable().describe('The intent that comes next.'),
    queued: z.number().int(),
  }),
  setAside: z
    .object({ items: z.array(quarantinedViewSchema), hasMore: z.boolean() })
    .describe(
      'Open records in quarantine that name them, the newest first: of this program, or of none that is known.',
    ),
  intents: z.array(intentViewSchema).describe('The newest; GET /intents?memberId= has them all.'),
});

export type MemberView = z.output<typeof memberViewSchema>;

/** The query of `GET /members/{program}/{memberId}/partner`. */
export const partnerViewQuerySchema = z.strictObject({
  reason: reasonIfGivenSchema,
  intent: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe(
      'The id of an intent of this member: the first of `ours.open`, however old, as long as it is not settled.',
    ),
});

/** The query of `GET /passes`: the partner's own filters (partner-api.md 4.5). */
export const passListQuerySchema = z.strictObject({
  program: idSchema,
  reason: reasonIfGivenSchema,
  updatedSince: timeSchema.optional().describe('Only passes that changed at or after.'),
  status: z.string().min(1).max(100).optional().describe('Only passes of this status, such as ACTIVE.'),
  tier: z.coerce.number().int().nonnegative().optional().describe("By the partner's id."),
  template: z.coerce.number().int().nonnegative().optional().describe("By the partner's id."),
  cursor: z
    .string()
    .regex(/^\d{1,9}\.\d{1,12}\.\d{1,4}$/, 'not one of ours')
    .optional()
    .describe('`nextCursor` of the page before.'),
  limit: limitSchema,
});

export const listedPassPageSchema = z.object({
  items: z.array(
    z.object({
      memberId: z.string().nullable().describe('Null where the pass carries none of ours.'),
      pass: z.record(z.string(), z.unknown()).describe('As the partner lists it; what may be personal is masked.'),
    }),
  ),
  nextCursor: z.string().nullable(),
  totalCount: z.number().int().nullable().describe('As the partner counts them.'),
});

export type ListedPassPage = z.output<typeof listedPassPageSchema>;

/** One value of a pass: what we have sent, or want, and what the partner shows. */
const comparedValueSchema = z.object({
  path: z.string().describe('As in a WalletPass: `templateTierId`, `passdata.points`.'),
  ours: z.unknown(),
  partner: z.unknown().describe('Absent where the partner does not show it.'),
});

/** Why a look at the partner proves nothing about an intent in doubt. */
const LOOK_REASONS = [
  'partner-failed',
  'no-trace',
  'refused-twice',
  'answered-otherwise',
  'not-read-before',
  'others-moved',
  'second-look',
  'too-early',
  'other-points',
  'unclear',
] as const;

const lookProofSchema = z.object({
  verdict: z.enum(['applied', 'not-applied', 'nothing']),
  evidence: z
    .string()
    .nullable()
    .describe('`points`, `as-wanted`, `pass-found` or `lookup-and-listing`; null where it proves nothing.'),
  why: z.enum(LOOK_REASONS).nullable().describe('Why it proves nothing.'),
  points: z
    .object({ before: z.number().nullable(), now: z.number().nullable(), delta: z.number().nullable() })
    .describe(
      'Of a transaction or reward: read before the attempt, now, and by how much it moves them; null: not known.',
    ),
});

/** What the partner says of a member right now, beside what we know. */
export const partnerViewSchema = z.object({
  program: z.string(),
  memberId: z.string(),
  mixedScripts: mixedScriptsSchema,
  at: timeSchema.describe('When the partner answered.'),
  ours: z.object({
    passKnown: z.enum(['unknown', 'absent', 'known']),
    pass: passSchema.nullable().describe('As the partner last answered before.'),
    isAtRest: z.boolean().describe('Nothing is left to be sent: only then is what was sent compared.'),
    open: z
      .array(
        z.object({
          intent: z.string().describe('Its id.'),
          operation: z.enum(INTENT_OPERATIONS),
          status: z.string(),
          wants: z
            .array(comparedValueSchema.extend({ isThere: z.boolean().nullable().describe('Null: it is not shown.') }))
            .describe('What it says of the pass. Empty for a transaction or reward.'),
          proof: lookProofSchema
            .nullable()
            .describe('What this answer proves of it, by the rules of delivery. Null: it is not in doubt.'),
        }),
      )
      .describe('The newest intents that are not settled: parked, in doubt or under way.'),
  }),
  partner: z.object({
    result: z.enum(['found', 'absent', 'failed']),
    code: z.string().nullable().describe('Why it failed: `timeout`, `http-503`, `foreign-pass`, ...'),
    status: z.number().int().nullable(),
    listed: z.number().int().nullable().describe('Where no pass was found: how many the listing counts.'),
    pass: z.record(z.string(), z.unknown()).nullable().describe('As answered; what may be personal is masked.'),
    durationMs: z.number(),
  }),
  differences: z.array(comparedValueSchema).describe('Where the pass is not as it was sent last, or another one.'),
});

export type PartnerView = z.output<typeof partnerViewSchema>;

/** The body of `POST /members/{program}/{memberId}/unmask`. */
export const unmaskSchema = z.strictObject({ reason: reasonSchema });

/** The newest intents of a member with everything in them, personal values too. Who asked is kept. */
export const unmaskedMemberSchema = z.object({
  program: z.string(),
  memberId: z.string(),
  mixedScripts: mixedScriptsSchema,
  intents: z.array(
    z.object({
      id: z.string(),
      isErased: z.boolean(),
      command: z.unknown(),
      sourceRecord: z.object({ headers: z.string(), value: z.string() }).nullable(),
      events: z.array(z.object({ version: z.number().int(), type: z.string(), at: timeSchema, evidence: z.unknown() })),
    }),
  ),
});

export type UnmaskedMember = z.output<typeof unmaskedMemberSchema>;

/** The body of `POST /members/{program}/{memberId}/card-links`. */
export const cardLinksSchema = z.strictObject({ reason: reasonSchema });

/** Where a member downloads the card. Whoever has such an address has the card: who asked is kept. */
export const memberCardLinksSchema = z.object({
  program: z.string(),
  memberId: z.string(),
  downloadUrl: z.string().nullable().describe('As the partner last answered; null where it told none.'),
  downloadUrlApple: z.string().nullable(),
  downloadUrlGoogle: z.string().nullable(),
});

export type MemberCardLinks = z.output<typeof memberCardLinksSchema>;

const exportPageDefault = 500;
const exportPageMax = 2_000;

/** The query of a job's lines. */
export const exportLinesQuerySchema = z.strictObject({
  cursor: cursorSchema,
  limit: z.coerce.number().int().min(1).max(exportPageMax).default(exportPageDefault),
});

const place = {
  version: z
    .number()
    .int()
    .describe('Counts what happened to a member. What an adoption told is counted, and not exported.'),
  position: z.number().int().describe('Rises along a member; tells nothing between members.'),
  erased: z.boolean().describe('The person is erased: what was personal cannot be opened any more.'),
};

/** What we owed the partner, as it was recorded. */
const exportedIntentSchema = z.object({
  kind: z.literal('intent'),
  id: z.string().describe('PROGRAM~MEMBER~SEQ, percent-encoded where needed.'),
  program: z.string(),
  memberId: z.string(),
  mixedScripts: mixedScriptsSchema,
  seq: z.number().int().describe("Counts a member's intents, from 1, without holes."),
  ...place,
  recordedAt: timeSchema,
  occurredAt: timeSchema,
  brokerAt: timeSchema.describe('The timestamp of the record.'),
  operation: z.enum(INTENT_OPERATIONS),
  eventType: z.string(),
  source: z.string().nullable(),
  storeId: z.string().nullable(),
  purchaseId: z.string().nullable(),
  amount: moneyViewSchema.nullable(),
  waitsForSeq: z.number().int().nullable().describe('The purchase that a refund goes after.'),
  cause: z.object({ topic: z.string(), partition: z.number().int(), offset: z.number().int() }),
  programsHash: z.string().describe('Of the programs file that routed it.'),
  command: z
    .unknown()
    .describe('What the partner was to be sent; null once erased. Masked unless asked for otherwise.'),
  sourceRecord: z
    .object({ headers: z.string(), value: z.string() })
    .nullable()
    .describe('The record as it arrived; null once erased. Masked unless asked for otherwise.'),
});

/** Something that happened to an intent afterwards. */
const exportedEventSchema = z.object({
  kind: z.literal('event'),
  intent: z.string().describe('The `id` of its intent.'),
  ...place,
  type: z.string(),
  at: timeSchema,
  attempt: z.number().int().nullable(),
  data: z.record(z.string(), z.unknown()).describe('Times in it are epoch milliseconds.'),
  evidence: z
    .unknown()
    .describe(
      'What was sent and answered; null where there was nothing, and once erased. Masked unless asked for otherwise.',
    ),
});

/** A line of an export: an intent, then its events in their order, then the next intent. */
export const exportLineSchema = z.discriminatedUnion('kind', [exportedIntentSchema, exportedEventSchema]);

export type ExportLine = z.output<typeof exportLineSchema>;

/** A page may be short and yet not be the last: `nextCursor` says whether there is more. */
export const exportLinesPageSchema = z.object({ items: z.array(exportLineSchema), nextCursor: z.string().nullable() });

export type ExportLinesPage = z.output<typeof exportLinesPageSchema>;

/** Lines as text instead of a page: what `accept` has to ask for, and the header that then carries `nextCursor`. */
export const exportLinesText = { contentType: 'application/x-ndjson', cursorHeader: 'x-next-cursor' } as const;
