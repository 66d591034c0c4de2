import { z } from 'zod';

import { intentIdSchema, jobIdSchema, nameSchema, numberSchema } from './common.js';
import {
  intentActionResultSchema,
  intentCancellationSchema,
  intentCorrectionResultSchema,
  intentCorrectionSchema,
  intentCountQuerySchema,
  intentCountSchema,
  intentDetailsSchema,
  intentPageSchema,
  intentQuerySchema,
  intentReplaySchema,
  intentResolutionSchema,
} from './intents-api.js';
import {
  jobItemsPageSchema,
  jobItemsQuerySchema,
  jobLinesPageSchema,
  jobLinesQuerySchema,
  jobListQuerySchema,
  jobListSchema,
  jobRequestSchema,
  jobStartSchema,
  jobSteeringSchema,
  jobViewSchema,
} from './jobs-api.js';
import {
  listedPassPageSchema,
  memberViewSchema,
  passListQuerySchema,
  partnerViewQuerySchema,
  partnerViewSchema,
  unmaskedMemberSchema,
  unmaskSchema,
} from './members-api.js';
import { groupListSchema, statsViewSchema, STREAM_EVENTS } from './overview-api.js';
import { seriesQuerySchema, seriesViewSchema } from './series-api.js';
import {
  bulkDiscardSchema,
  bulkResubmitSchema,
  discardSchema,
  quarantineActionResultSchema,
  quarantineBulkResultSchema,
  quarantineCountQuerySchema,
  quarantineCountSchema,
  quarantinedDetailsSchema,
  quarantinePageSchema,
  quarantineQuerySchema,
  resubmitSchema,
  unmaskedRecordSchema,
} from './quarantine-api.js';
import {
  auditPageSchema,
  auditQuerySchema,
  dialectViewSchema,
  doctorReportSchema,
  pauseListSchema,
  pauseRequestSchema,
  pauseResultSchema,
  pauseViewSchema,
  programsStatusSchema,
  programsViewSchema,
  provisionedListSchema,
  provisionedViewSchema,
  reloadRequestSchema,
  reloadResultSchema,
  stepResolutionSchema,
} from './service-api.js';
import { consoleViewSchema, linkRedemptionSchema, meViewSchema, redeemedLinkSchema } from './session-api.js';

/** What a body says fits into far less, unless it carries a whole record. */
export const apiBodyBytesMax = 64 * 1024;
/** A record of 1 MiB comes as text within JSON, every quote of it escaped. */
const recordBodyBytesMax = 4 * 1024 * 1024;
/** Of strangers nothing larger is read. */
const codeBodyBytesMax = 1024;

/**
 * How a request keeps to the programs that a token is limited to. `none`: what it says is of no program. `filtered`: it
 * answers what is of them. `named`: what it names is of one of them, or is answered like what is not there; a program that
 * is left out is their only one. `whole`: it is about all programs, or about what is of no known one, and refused.
 */
export type ProgramRule = 'none' | 'filtered' | 'named' | 'whole';

/** A request that the operations port answers. Who may send it is said here and nowhere else. */
export interface ApiRoute {
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/api/v1`; of `ROOT_ROUTES` as it is. */
  readonly path: string;
  readonly summary: string;
  /** Null: no token needed. */
  readonly role: 'viewer' | 'operator' | 'admin' | null;
  readonly programs: ProgramRule;
  /** What of it takes an admin: a sentence. */
  readonly adminFor?: string;
  /** What stands in its path, decoded; there where the path has any. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** So large may its body be; absent: `apiBodyBytesMax`. */
  readonly bodyBytesMax?: number;
  /** What is answered with 200; absent: any JSON. */
  readonly answer?: z.ZodType;
  /** It answers a stream of Server-Sent Events instead: what each is. */
  readonly events?: Readonly<Record<string, string>>;
  /** It answers text of this type instead. */
  readonly textType?: string;
  /** `OPS_METRICS` may have it take a viewer, or not be there. */
  readonly isMetrics?: true;
}

/** What most routes begin with. */
const READ = { method: 'get', role: 'viewer' } as const;
const FILTERED = { programs: 'filtered' } as const;
const NAMED = { programs: 'named' } as const;
/** A record that was set aside has no program for sure, and a brand that is set up has several. */
const WHOLE = { programs: 'whole' } as const;
/** Of stored work: whoever acts may pause it. */
const RESUMED_OR_CANCELLED = 'What an admin has asked for takes an admin.';
const ACT = { method: 'post', role: 'operator' } as const;

/** What is named in paths. */
const ofRecord = { ...WHOLE, params: z.object({ id: numberSchema }) };
const ofJob = { params: z.object({ id: jobIdSchema }) };
const ofIntent = { ...NAMED, params: z.object({ id: intentIdSchema }) };
const ofMember = { ...NAMED, params: z.object({ program: nameSchema, memberId: nameSchema }) };

const one = { ...ACT, answer: quarantineActionResultSchema };
const many = { ...ACT, ...WHOLE, answer: quarantineBulkResultSchema };

const adminFor =
  'What erases a member takes an admin, and so does a correction of anything but time, order, person, texts, store, channel and attributes: the problem names the paths.';

/** What is asked about records set aside, and done with them. */
const quarantineRoutes = [
  {
    ...READ,
    ...WHOLE,
    path: '/quarantine',
    summary: 'Records set aside',
    query: quarantineQuerySchema,
    answer: quarantinePageSchema,
  },
  {
    ...READ,
    ...WHOLE,
    path: '/quarantine/count',
    summary: 'How many are open, why, and who sent them',
    query: quarantineCountQuerySchema,
    answer: quarantineCountSchema,
  },
  { ...READ, ...ofRecord, path: '/quarantine/{id}', summary: 'One of them', answer: quarantinedDetailsSchema },
  {
    ...one,
    ...ofRecord,
    adminFor,
    path: '/quarantine/{id}/resubmit',
    summary: 'Take one in after all',
    body: resubmitSchema,
    bodyBytesMax: recordBodyBytesMax,
  },
  { ...one, ...ofRecord, path: '/quarantine/{id}/discard', summary: 'Give one up', body: discardSchema },
  {
    ...ACT,
    ...ofRecord,
    role: 'admin',
    path: '/quarantine/{id}/unmask',
    summary: 'One with everything personal',
    body: unmaskSchema,
    answer: unmaskedRecordSchema,
  },
  {
    ...many,
    adminFor: 'Records that erase a member take an admin; for others they count as failed.',
    path: '/quarantine/resubmit',
    summary: 'Take many in after all',
    body: bulkResubmitSchema,
  },
  { ...many, path: '/quarantine/discard', summary: 'Give many up', body: bulkDiscardSchema },
] as const;

/** Stored work of every kind. */
const jobRoutes = [
  { ...READ, ...FILTERED, path: '/jobs', summary: 'Jobs', query: jobListQuerySchema, answer: jobListSchema },
  {
    ...ACT,
    ...NAMED,
    path: '/jobs',
    summary: 'Begin a job',
    adminFor:
      'An erasure takes an admin, and so do `force` and an export with personal values, also to read its lines.',
    body: jobRequestSchema,
    answer: jobViewSchema,
  },
  { ...READ, ...NAMED, ...ofJob, path: '/jobs/{id}', summary: 'How far a job is', answer: jobViewSchema },
  {
    ...READ,
    ...NAMED,
    ...ofJob,
    path: '/jobs/{id}/lines',
    summary: 'What a job found; of an export its lines',
    query: jobLinesQuerySchema,
    answer: jobLinesPageSchema,
  },
  {
    ...READ,
    ...NAMED,
    ...ofJob,
    path: '/jobs/{id}/items',
    summary: 'What came of each item',
    query: jobItemsQuerySchema,
    answer: jobItemsPageSchema,
  },
  {
    ...ACT,
    ...NAMED,
    ...ofJob,
    adminFor: RESUMED_OR_CANCELLED,
    path: '/jobs/{id}/start',
    summary: 'Let a dry run begin',
    body: jobStartSchema,
    answer: jobViewSchema,
  },
  ...(['pause', 'resume', 'cancel'] as const).map((steering) => ({
    ...ACT,
    ...NAMED,
    ...ofJob,
    ...(steering === 'pause' ? {} : { adminFor: RESUMED_OR_CANCELLED }),
    path: `/jobs/{id}/${steering}`,
    summary: { pause: 'Pause a job', resume: 'Let it go on', cancel: 'Do nothing more of it' }[steering],
    body: jobSteeringSchema,
    answer: jobViewSchema,
  })),
] as const;

const decidedByAdmin = 'What an admin has corrected, taken in or forced, as only an admin may, takes an admin.';

/** What the console asks for before and after somebody has logged in. */
const sessionRoutes = [
  {
    ...READ,
    path: '/console',
    role: null,
    programs: 'none',
    summary: 'How people log in to the console',
    answer: consoleViewSchema,
  },
  {
    method: 'post',
    path: '/login-links/redeem',
    role: null,
    programs: 'none',
    summary: 'The token of a link that works once; only `dev` and the demo make some',
    body: linkRedemptionSchema,
    bodyBytesMax: codeBodyBytesMax,
    answer: redeemedLinkSchema,
  },
  { ...READ, ...FILTERED, path: '/me', summary: 'Who the token is, and what it allows', answer: meViewSchema },
] as const;

/** Every path of the operations API. */
export const API_ROUTES: readonly ApiRoute[] = [
  { ...READ, ...FILTERED, path: '/audit', summary: 'Who did what', query: auditQuerySchema, answer: auditPageSchema },
  { ...READ, path: '/contracts', role: null, programs: 'none', summary: 'JSON Schemas and AsyncAPI of the topics' },
  { ...READ, ...WHOLE, path: '/dialect', summary: 'What is assumed of the partner', answer: dialectViewSchema },
  { ...READ, ...WHOLE, path: '/doctor', summary: 'What is wrong, and how to mend it', answer: doctorReportSchema },
  { ...READ, ...FILTERED, path: '/groups', summary: 'Failures by cause', answer: groupListSchema },
  { ...READ, ...FILTERED, path: '/intents', summary: 'Intents', query: intentQuerySchema, answer: intentPageSchema },
  {
    ...READ,
    ...FILTERED,
    path: '/intents/count',
    summary: 'How many there are',
    query: intentCountQuerySchema,
    answer: intentCountSchema,
  },
  {
    ...READ,
    ...ofIntent,
    path: '/intents/{id}',
    summary: 'One intent with its whole story',
    answer: intentDetailsSchema,
  },
  {
    ...ACT,
    ...ofIntent,
    adminFor: '`force` takes an admin.',
    path: '/intents/{id}/replay',
    summary: 'Send a parked intent once more',
    body: intentReplaySchema,
    answer: intentActionResultSchema,
  },
  {
    ...ACT,
    ...ofIntent,
    adminFor: decidedByAdmin,
    path: '/intents/{id}/cancel',
    summary: 'Do not send it',
    body: intentCancellationSchema,
    answer: intentActionResultSchema,
  },
  {
    ...ACT,
    ...ofIntent,
    adminFor:
      'A correction of anything but the time, the person, texts and attributes that identify nothing takes an admin: the problem names the paths.',
    path: '/intents/{id}/correct',
    summary: 'Give it another content',
    body: intentCorrectionSchema,
    bodyBytesMax: recordBodyBytesMax,
    answer: intentCorrectionResultSchema,
  },
  {
    ...ACT,
    ...ofIntent,
    adminFor: `\`force\` takes an admin. As delivered: ${decidedByAdmin}`,
    path: '/intents/{id}/resolve',
    summary: 'Say what became of it',
    body: intentResolutionSchema,
    answer: intentActionResultSchema,
  },
  { ...READ, ...ofMember, path: '/members/{program}/{memberId}', summary: 'One member', answer: memberViewSchema },
  {
    ...READ,
    ...ofMember,
    role: 'operator',
    path: '/members/{program}/{memberId}/partner',
    summary: 'What the partner says of a member now, beside what we know',
    query: partnerViewQuerySchema,
    answer: partnerViewSchema,
  },
  {
    ...ACT,
    ...ofMember,
    role: 'admin',
    path: '/members/{program}/{memberId}/unmask',
    summary: 'One member with everything personal',
    body: unmaskSchema,
    answer: unmaskedMemberSchema,
  },
  {
    ...READ,
    ...NAMED,
    role: 'operator',
    path: '/passes',
    summary: "The partner's own listing of a program's passes",
    query: passListQuerySchema,
    answer: listedPassPageSchema,
  },
  { ...READ, ...FILTERED, path: '/pauses', summary: 'What is paused', answer: pauseListSchema },
  { ...ACT, ...NAMED, path: '/pauses', summary: 'Pause', body: pauseRequestSchema, answer: pauseResultSchema },
  {
    ...ACT,
    ...NAMED,
    method: 'delete',
    path: '/pauses',
    summary: 'Let it go on',
    query: pauseRequestSchema,
    body: pauseRequestSchema,
    answer: pauseViewSchema,
  },
  {
    ...READ,
    ...WHOLE,
    path: '/programs',
    summary: 'The programs file as it was read, and what changed',
    answer: programsViewSchema,
  },
  {
    ...READ,
    ...WHOLE,
    path: '/provisioned',
    summary: 'What we set up at the partner',
    answer: provisionedListSchema,
  },
  {
    ...ACT,
    ...WHOLE,
    params: z.object({ stepId: z.uuid() }),
    path: '/provisioned/{stepId}/resolve',
    summary: 'Say what became of a call in doubt',
    body: stepResolutionSchema,
    answer: provisionedViewSchema,
  },
  ...jobRoutes,
  ...quarantineRoutes,
  ...sessionRoutes,
  {
    ...READ,
    ...WHOLE,
    path: '/reload',
    summary: 'Which programs file each process works by',
    answer: programsStatusSchema,
  },
  {
    ...ACT,
    ...WHOLE,
    path: '/reload',
    summary: 'Read the programs file again, everywhere',
    body: reloadRequestSchema,
    answer: reloadResultSchema,
  },
  {
    ...READ,
    ...FILTERED,
    path: '/series',
    summary: 'What happened over time',
    query: seriesQuerySchema,
    answer: seriesViewSchema,
  },
  { ...READ, ...FILTERED, path: '/stats', summary: 'How things stand', answer: statsViewSchema },
  { ...READ, ...FILTERED, path: '/stream', summary: 'What changes, as Server-Sent Events', events: STREAM_EVENTS },
];

const OPEN = { method: 'get', role: null, programs: 'none' } as const;

/** What the operations port answers besides, at paths that probes and scrapes expect. */
export const ROOT_ROUTES: readonly ApiRoute[] = [
  { ...OPEN, path: '/api/openapi.json', summary: 'This document' },
  { ...OPEN, path: '/health/live', summary: 'Probe: work moves. 503 with what is wrong' },
  { ...OPEN, path: '/health/ready', summary: 'Probe: requests can be answered. 503 with what is wrong' },
  { ...OPEN, path: '/health/startup', summary: 'Probe: the start is completed. 503 with what is wrong' },
  { ...OPEN, ...FILTERED, path: '/metrics', summary: 'Prometheus metrics', textType: 'text/plain', isMetrics: true },
];

/** The web console, for browsers: its page at every path that nothing else is served at, and its files. Not described. */
export const CONSOLE_ROUTES: readonly ApiRoute[] = [
  { ...OPEN, path: '/', summary: 'The console', textType: 'text/html' },
  { ...OPEN, path: '/*', summary: 'The console, wherever one is in it, and its files', textType: 'text/html' },
];
