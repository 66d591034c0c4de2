import { z } from 'zod';
import { partnerIdSchema } from '../programs/program-schema.js';
import {
  idSchema,
  INTENT_OPERATIONS,
  limitSchema,
  mixedScriptsSchema,
  numberCursorSchema,
  reasonIfGivenSchema,
  reasonSchema,
  timeSchema,
} from './common.js';

const CHECK_STATES = ['ok', 'warning', 'failed', 'skipped'] as const;

/** One thing that was looked at. */
const doctorCheckSchema = z.object({
  name: z
    .string()
    .describe('Stable, such as `postgres.settings`; ends with the topic, program or variable it is about.'),
  state: z
    .enum(CHECK_STATES)
    .describe('`warning`: it works, but not as it should. `skipped`: it was not looked at, `detail` says why.'),
  detail: z.string().describe('Never a secret.'),
  remedy: z.string().nullable().describe('What to do; null where nothing is to be done.'),
  page: z.string().describe('Where more is said of it: a page below `docs/` of this release, or a part of one.'),
});

export type DoctorCheck = z.output<typeof doctorCheckSchema>;

/** What `GET /doctor` answers, and `loyaltyd doctor -o json` prints. */
export const doctorReportSchema = z.object({
  ok: z.boolean().describe('Nothing failed; there may be warnings.'),
  checkedAt: timeSchema,
  durationMs: z.number().int(),
  checks: z.array(doctorCheckSchema),
});

export type DoctorReport = z.output<typeof doctorReportSchema>;

/** Dangerous changes accepted at once, and letters of the name of one, at most. */
const acceptedMax = 100;
const acceptedCharsMax = 400;

/** The body of `POST /reload`. */
export const reloadRequestSchema = z.strictObject({
  reason: reasonIfGivenSchema,
  accept: z
    .array(z.string().min(1).max(acceptedCharsMax))
    .max(acceptedMax)
    .default([])
    .describe(
      'Names of dangerous changes, such as `club.purchaseKey`; takes an admin. Where the file is the same as before: those of the file that was refused last.',
    ),
});

export type ReloadRequest = z.output<typeof reloadRequestSchema>;

const programsProcessSchema = z.object({
  id: z.string(),
  host: z.string().describe('The machine or pod it runs on.'),
  roles: z.array(z.string()),
  startedAt: timeSchema,
  heartbeatAt: timeSchema,
  alive: z.boolean().describe('It reported within the last seconds.'),
  answering: z.boolean().describe('It is the one that answers this request.'),
  hash: z.string().describe('Of the programs file that it works by.'),
  since: timeSchema.describe('Since when it works by that file.'),
  problem: z.string().nullable().describe('Why it did not take over the file that it read last.'),
});

export type ProgramsProcess = z.output<typeof programsProcessSchema>;

const agreementShape = {
  agree: z.boolean().describe('All processes that are alive work by the same programs file.'),
  disagreeingSince: timeSchema.nullable(),
  processes: z.array(programsProcessSchema).describe('Oldest first.'),
};

/** Which programs file each process works by. */
export const programsStatusSchema = z.object(agreementShape);

export type ProgramsStatus = z.output<typeof programsStatusSchema>;

const programsChangeSchema = z.object({
  path: z.string().describe('In the file, as errors name it.'),
  change: z.enum(['added', 'removed', 'changed']),
  from: z.unknown(),
  to: z.unknown(),
});

const programsLoadSchema = z.object({
  id: z.number().int(),
  at: timeSchema.describe('When the first process had it.'),
  hash: z.string(),
  host: z.string().describe('Of that process.'),
  by: z.string().nullable().describe('Who had it read; null: a process took it over by itself, or at its start.'),
  reason: z.string().nullable(),
  accepted: z.array(z.string()).describe('Dangerous changes that an admin accepted with it.'),
  changes: z
    .array(programsChangeSchema)
    .nullable()
    .describe('What differs from the one before, defaults spelled out; null where one of the two is not kept.'),
  hasMoreChanges: z.boolean().describe('More differs than is shown.'),
});

/** The programs file that the answering process works by, and the last ones before. */
export const programsViewSchema = z.object({
  hash: z.string(),
  since: timeSchema,
  content: z.unknown().describe('The file, with every default; what is written as a comment is not read.'),
  loads: z.array(programsLoadSchema).describe('The last 20 files, the newest first.'),
});

export type ProgramsView = z.output<typeof programsViewSchema>;

/** What is assumed of the partner where its specification leaves it open. */
export const dialectViewSchema = z.object({
  entries: z
    .array(
      z.object({
        path: z.string(),
        description: z.string(),
        default: z.unknown(),
        value: z.unknown().describe('By `WALLET_DIALECT`; holds for each program that says nothing else.'),
        isDefault: z.boolean(),
      }),
    )
    .describe('Every entry.'),
  programs: z
    .array(z.object({ program: z.string(), differs: z.array(z.object({ path: z.string(), value: z.unknown() })) }))
    .describe('Each program, with what it says otherwise.'),
});

export type DialectView = z.output<typeof dialectViewSchema>;

/** What `POST /reload` answers; the processes as they stand when all have followed, or after some seconds. */
export const reloadResultSchema = z.object({
  changed: z.boolean().describe('False where this process worked by the same file before.'),
  hash: z.string(),
  programs: z.array(z.string()).describe('Their names in the file.'),
  problems: z.array(z.string()).describe('Of processes that did not follow, each with its host.'),
  ...agreementShape,
});

export type ReloadResult = z.output<typeof reloadResultSchema>;

/** What calls can have in common. Delivery itself holds by each of them but the member, who is one person's own trouble. */
export const FACTOR_KINDS = ['reward', 'transaction-type', 'event-type', 'store', 'source', 'member'] as const;

/** Letters of a factor, at most. */
const factorLengthMax = 400;

/** Such as `reward:9002`. */
const factorSchema = z.templateLiteral([z.enum(FACTOR_KINDS), ':', z.string()]);

/** What a pause is of: what is left out is meant as a whole. */
const pauseScopeSchema = z.strictObject({
  program: idSchema.nullish().describe('Every program when left out.'),
  operation: z.enum(INTENT_OPERATIONS).nullish().describe('Every operation when left out.'),
  factor: factorSchema
    .refine((factor) => factor.length <= factorLengthMax)
    .nullish()
    .describe(
      'All calls when left out; else those for one reward, transaction type, event type, store, source or member, of one program. A member is held with all operations.',
    ),
  reason: reasonIfGivenSchema,
});

/** How far ahead a pause may end, at most: whoever means longer lifts it themselves. */
export const PAUSE_DAYS_MAX = 366;

/** The body of `POST /pauses`. */
export const pauseRequestSchema = pauseScopeSchema.extend({
  until: timeSchema
    .optional()
    .describe(`It ends by itself then, within ${PAUSE_DAYS_MAX} days; when left out somebody has to lift it.`),
});

export const pauseViewSchema = z.object({
  program: z.string().nullable(),
  operation: z.enum(INTENT_OPERATIONS).nullable(),
  factor: factorSchema.nullable().describe('Null: all calls of the operation.'),
  since: timeSchema,
  until: timeSchema.nullable().describe('It ends by itself then; null: somebody has to lift it, or delivery does.'),
  by: z.string(),
  reason: z.string(),
  automatic: z
    .boolean()
    .describe(
      'Set by delivery itself, because the partner failed nearly all such calls. It tries one now and then, and ends the pause when they are served.',
    ),
});

export type PauseView = z.output<typeof pauseViewSchema>;

/** Factors that stay held when the rest goes on, at most. */
const butMax = 20;

/** The body of `DELETE /pauses`. */
export const resumeRequestSchema = pauseScopeSchema.extend({
  but: z
    .array(factorSchema.refine((factor) => factor.length <= factorLengthMax && !factor.startsWith('member:')))
    .max(butMax)
    .default([])
    .describe(
      'What of it is held instead from the same moment, by factors such as `store:lisboa`; the rest continues.',
    ),
  until: timeSchema.optional().describe('When what is held instead ends by itself; only with `but`.'),
});

/** What `DELETE /pauses` answers: the pause that was lifted. */
export const resumeResultSchema = pauseViewSchema.extend({
  held: z.array(pauseViewSchema).describe('What is held instead.'),
});

export type ResumeResult = z.output<typeof resumeResultSchema>;

/** The query of `GET /pauses/waiting`: which pause. */
export const waitingQuerySchema = pauseScopeSchema.omit({ reason: true });

/** What `GET /pauses/waiting` answers. */
export const waitingViewSchema = z.object({
  waiting: z.number().int().describe('Intents that the pause holds, or that wait behind such ones.'),
  isPart: z.boolean().describe('There are more than were looked at: the counts are of the first ones.'),
  factors: z
    .array(z.object({ factor: factorSchema, waiting: z.number().int(), refused: z.number().int() }))
    .describe(
      'By event type, store and source; `refused`: of the same, refused by the partner and parked since ten minutes before the pause. Most refusals first.',
    ),
});

export type WaitingView = z.output<typeof waitingViewSchema>;

export const pauseListSchema = z.object({ items: z.array(pauseViewSchema) });

export type PauseList = z.output<typeof pauseListSchema>;

/** `isNew`: false where the same was paused before; that pause stays as it is. */
export const pauseResultSchema = z.object({ pause: pauseViewSchema, isNew: z.boolean() });

export type PauseResult = z.output<typeof pauseResultSchema>;

/** The body of `POST /provisioned/{stepId}/resolve`. */
export const stepResolutionSchema = z.strictObject({
  reason: reasonSchema,
  as: z
    .enum(['created', 'not-created'])
    .describe('`created`: it took effect at the partner. `not-created`: it did not; the next apply makes it again.'),
  partnerId: partnerIdSchema
    .optional()
    .describe("The partner's id of what was made. Needed for a brand attribute: it is changed by its id."),
});

const content = z.record(z.string(), z.union([z.string(), z.boolean()]));

/** How something stands that we set up at the partner, or meant to. */
export const provisionedViewSchema = z.object({
  kind: z.enum(['brand', 'brand-attribute', 'transaction-type', 'transaction-attribute', 'template']),
  brandId: z.string(),
  programId: z.string().nullable(),
  transactionTypeId: z.string().nullable(),
  name: z.string(),
  action: z.enum(['create', 'update']).describe('Of the last call about it.'),
  state: z.enum(['begun', 'created', 'updated', 'refused', 'not-applied', 'unknown']),
  inDoubt: z.boolean().describe('The call may have taken effect: look at the partner, then resolve the step.'),
  stepId: z.string(),
  partnerId: z.string().nullable(),
  content: content.describe('What that call was to put in place.'),
  placed: content.nullable().describe('What is there as far as we know.'),
  at: timeSchema,
  job: z.string().nullable(),
  actor: z.string().nullable().describe('Who said what became of it; null: the partner answered.'),
  evidence: z.record(z.string(), z.unknown()).nullable(),
});

export type ProvisionedView = z.output<typeof provisionedViewSchema>;

export const provisionedListSchema = z.object({ items: z.array(provisionedViewSchema) });

export type ProvisionedList = z.output<typeof provisionedListSchema>;

/** The query of `GET /audit`. */
export const auditQuerySchema = z.strictObject({
  actor: idSchema.optional(),
  action: idSchema.optional().describe('Such as `intent.replay`.'),
  memberId: idSchema.optional().describe('What was done to this member or an intent of theirs, in whatever program.'),
  from: timeSchema.optional().describe('Done at or after.'),
  to: timeSchema.optional().describe('Done before.'),
  cursor: numberCursorSchema,
  limit: limitSchema,
});

export type AuditQuery = z.output<typeof auditQuerySchema>;

const auditEntrySchema = z.object({
  id: z.number().int(),
  at: timeSchema,
  actor: z.string(),
  role: z
    .enum(['viewer', 'operator', 'admin'])
    .nullable()
    .describe(
      'In which they acted; of a job, of who asked for it. Null: the command line on the machine, or the daemon.',
    ),
  subject: z
    .string()
    .nullable()
    .describe('Issuer and `sub` of the token, which do not change hands; null: it was one of OPS_TOKENS, or a job.'),
  address: z.string().nullable(),
  requestId: z.string().nullable().describe('The `x-request-id` of the request.'),
  action: z.string(),
  reason: z.string(),
  member: z.object({ program: z.string(), memberId: z.string(), mixedScripts: mixedScriptsSchema }).nullable(),
  intent: z.string().nullable().describe('The intent it was done to.'),
  detail: z.record(z.string(), z.unknown()).nullable(),
});

export type AuditEntry = z.output<typeof auditEntrySchema>;

/** Newest first. */
export const auditPageSchema = z.object({
  items: z.array(auditEntrySchema),
  nextCursor: z.string().nullable(),
});

export type AuditPage = z.output<typeof auditPageSchema>;
