import { z } from 'zod';
import { INTENT_OPERATIONS, moneyViewSchema, timeSchema } from './common.js';
import { INTENT_STATUSES } from './intents-api.js';
import { JOB_KINDS } from './jobs-api.js';
import { pauseViewSchema } from './service-api.js';

const namedCountSchema = z.object({ name: z.string(), intents: z.number().int() });

/** Failures with the same cause. */
const groupViewSchema = z.object({
  program: z.string(),
  operation: z.enum(INTENT_OPERATIONS),
  status: z.enum(['parked', 'unknown']),
  reason: z.string().nullable(),
  code: z.string().nullable().describe('What their last attempts ended with.'),
  fingerprint: z.string().nullable().describe('Tells refusals with the same wording.'),
  wording: z
    .string()
    .nullable()
    .describe(
      'What the partner said to all of them, in small letters, with # for values; null where fewer than 5 members share it.',
    ),
  intents: z.number().int(),
  members: z.number().int(),
  firstAt: timeSchema,
  lastAt: timeSchema,
  money: z.array(moneyViewSchema).describe('At stake, by currency.'),
  hours: z.array(z.object({ at: timeSchema, intents: z.number().int() })).describe('How many came, over a day.'),
  common: z
    .object({
      intents: z.number().int().describe('How many were looked at, the newest.'),
      stores: z.array(namedCountSchema),
      sources: z.array(namedCountSchema),
    })
    .describe('Where they came from: the stores and sources with the most of them.'),
  query: z.record(z.string(), z.string()).describe('The query of GET /intents that shows them.'),
});

export type GroupView = z.output<typeof groupViewSchema>;

/** The largest first. */
export const groupListSchema = z.object({ items: z.array(groupViewSchema) });

export type GroupList = z.output<typeof groupListSchema>;

const count = z.number().int();
const perSecond = z.number().describe('Per second, over the last seconds that were looked at.');

const rateSchema = z.object({
  program: z.string(),
  recordedPerSecond: perSecond,
  settledPerSecond: perSecond.describe('Delivered or cancelled.'),
});

const processSchema = z.object({
  id: z.string(),
  host: z.string(),
  roles: z.array(z.string()),
  programs: z.string().describe('Names the content of its programs file: all should have the same.'),
  startedAt: timeSchema,
  seenAt: timeSchema,
  isSelf: z.boolean().describe('It gives this answer.'),
});

const partnerSchema = z.object({
  program: z.string(),
  processes: count.describe('How many tell of it; what follows is of all of them.'),
  limit: z.number().describe('Calls that may be under way at once.'),
  inUse: count.describe('Calls that are.'),
  breaker: z.enum(['closed', 'trying', 'probing', 'open']).describe('The worst of them.'),
  resting: count.describe('Processes whose breaker is not closed.'),
  since: timeSchema.nullable().describe('Since when a breaker has not been closed; null: all are.'),
  cooldownUntil: timeSchema.nullable().describe('The partner asked for a rest until then.'),
  calls: count.describe('Answered or given up within the last minute, without lookups.'),
  latencyMs: z
    .object({ p50: z.number(), p95: z.number() })
    .nullable()
    .describe('How long these took, told to 10 %; null: there were none.'),
});

const oldestSeconds = z.number().nullable().describe('So old at most; null: nothing is behind, or it is not known.');
const lagRecords = count.describe('In Kafka, and not taken in yet.');

/** Of all partitions that a process reads. */
const lagSchema = z.object({
  records: lagRecords,
  oldestSeconds,
  topics: z.array(z.object({ topic: z.string(), records: lagRecords, oldestSeconds })),
});

const figuresSchema = z.object({
  processes: count.describe('Of those that are alive, how many tell.'),
  silent: count.describe('How many do not: they are of the version before.'),
  ageSeconds: z.number().nullable().describe('How old the oldest of what they tell is; null: nobody does.'),
});

/** A job that runs, or would continue if it were resumed. */
const openJobSchema = z.object({
  id: z.string(),
  kind: z.enum(JOB_KINDS),
  state: z.enum(['waiting', 'running', 'paused', 'stopped']),
  error: z.string().nullable(),
  reason: z.string(),
  createdAt: timeSchema,
  createdBy: z.string(),
});

const recoverySchema = z.object({
  recoveredFrom: timeSchema.describe('The moment to which the database was restored.'),
  startedAt: timeSchema.describe(
    'When work began again: what was recorded before may have been sent by the lost history.',
  ),
  producedUntil: timeSchema.describe('Records with an earlier broker timestamp, too.'),
  open: count.describe('Intents whose evidence is still looked for.'),
  undecided: count.describe('Intents without evidence: a person must say what became of them.'),
});

/**
 * How things stand, at a glance. The same for some seconds: many who look cost as much as one. For a token limited to
 * programs, of these alone: `quarantine` and `processes` are empty then, and `recovery` is null.
 */
export const statsViewSchema = z.object({
  at: timeSchema.describe('When it was read.'),
  intents: z
    .array(
      z.object({
        program: z.string(),
        operation: z.enum(INTENT_OPERATIONS),
        status: z.enum(INTENT_STATUSES),
        intents: count,
      }),
    )
    .describe('Those of which there are any.'),
  oldestPending: z.array(
    z.object({
      program: z.string(),
      since: timeSchema,
      seconds: z.number(),
      isPart: z.boolean().describe('So much is pending that only what is due first was looked at.'),
    }),
  ),
  rates: z.array(rateSchema).describe('Empty until it was looked at twice.'),
  blockedLanes: z.array(z.object({ program: z.string(), lanes: count, behind: count.describe('Intents that wait.') })),
  quarantine: z.array(z.object({ reason: z.string(), records: count })),
  valueAtRisk: z
    .array(z.object({ program: z.string(), ...moneyViewSchema.shape, intents: count }))
    .describe('Money in what is parked, unknown or waiting, and in what a parked intent holds up.'),
  pauses: z.array(pauseViewSchema),
  jobs: z.array(openJobSchema),
  processes: z.array(processSchema),
  partner: z.array(partnerSchema).describe('As all processes see it that are alive; empty where none delivers.'),
  lag: lagSchema.nullable().describe('Null: nobody takes in, or knows; or the token is limited to programs.'),
  figures: figuresSchema.describe('Where `partner` and `lag` come from: what each process tells every 2 s.'),
  recovery: recoverySchema.nullable().describe('The last restore that was told by `start --recovered-from`.'),
  countedUntil: z.object({ lagSeconds: z.number() }).describe('How far what was delivered is counted.'),
});

export type StatsView = z.output<typeof statsViewSchema>;

/** What `GET /stream` sends: the name of each event and its `data`. */
export const STREAM_EVENTS = {
  stats: 'StatsView, as GET /stats answers, every 2 s',
  action: 'AuditEntry, as GET /audit lists them: what somebody has just done',
  job: 'JobView, as GET /jobs/{id} answers: one that has moved',
  pause: 'PauseList, as GET /pauses answers: something was paused, or goes on',
} as const;

export type StreamEventName = keyof typeof STREAM_EVENTS;
