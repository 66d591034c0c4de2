import type { z } from 'zod';

import { auditPageSchema, auditQuerySchema } from './audit-api.js';
import { doctorReportSchema } from './doctor-api.js';
import { groupListSchema } from './groups-api.js';
import {
  intentActionResultSchema,
  intentActionSchema,
  intentDetailsSchema,
  intentPageSchema,
  intentQuerySchema,
  intentResolutionSchema,
} from './intents-api.js';
import { memberViewSchema, unmaskedMemberSchema, unmaskSchema } from './members-api.js';
import { pauseListSchema, pauseRequestSchema, pauseResultSchema, pauseViewSchema } from './pauses-api.js';
import { quarantinedDetailsSchema, quarantinePageSchema, quarantineQuerySchema } from './quarantine-api.js';
import { programsStandingSchema, reloadRequestSchema, reloadResultSchema } from './reload-api.js';
import {
  replayItemsPageSchema,
  replayItemsQuerySchema,
  replayListSchema,
  replayRequestSchema,
  replaySteeringSchema,
  replayViewSchema,
} from './replays-api.js';

/** A request that the operations API answers. */
export interface ApiRoute {
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly summary: string;
  /** Null: no token needed. */
  readonly role: 'viewer' | 'operator' | 'admin' | null;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** What is answered with 200; absent: any JSON. */
  readonly answer?: z.ZodType;
}

const read = { method: 'get', role: 'viewer' } as const;
const act = { method: 'post', role: 'operator' } as const;

/** Every path of the operations API. */
export const API_ROUTES: readonly ApiRoute[] = [
  { ...read, path: '/audit', summary: 'Who did what', query: auditQuerySchema, answer: auditPageSchema },
  { ...read, path: '/contracts', role: null, summary: 'JSON Schemas and AsyncAPI of the topics' },
  { ...read, path: '/doctor', summary: 'What is wrong, and how to mend it', answer: doctorReportSchema },
  { ...read, path: '/groups', summary: 'Failures by cause', answer: groupListSchema },
  { ...read, path: '/intents', summary: 'Intents', query: intentQuerySchema, answer: intentPageSchema },
  { ...read, path: '/intents/{id}', summary: 'One intent with its whole story', answer: intentDetailsSchema },
  {
    ...act,
    path: '/intents/{id}/replay',
    summary: 'Send a parked intent once more',
    body: intentActionSchema,
    answer: intentActionResultSchema,
  },
  {
    ...act,
    path: '/intents/{id}/cancel',
    summary: 'Do not send it',
    body: intentActionSchema,
    answer: intentActionResultSchema,
  },
  {
    ...act,
    path: '/intents/{id}/resolve',
    summary: 'Say what became of it',
    body: intentResolutionSchema,
    answer: intentActionResultSchema,
  },
  { ...read, path: '/members/{program}/{memberId}', summary: 'One member', answer: memberViewSchema },
  {
    ...act,
    role: 'admin',
    path: '/members/{program}/{memberId}/unmask',
    summary: 'One member with everything personal',
    body: unmaskSchema,
    answer: unmaskedMemberSchema,
  },
  { ...read, path: '/pauses', summary: 'What is paused', answer: pauseListSchema },
  { ...act, path: '/pauses', summary: 'Pause', body: pauseRequestSchema, answer: pauseResultSchema },
  {
    ...act,
    method: 'delete',
    path: '/pauses',
    summary: 'Let it go on',
    body: pauseRequestSchema,
    answer: pauseViewSchema,
  },
  {
    ...read,
    path: '/quarantine',
    summary: 'Records set aside',
    query: quarantineQuerySchema,
    answer: quarantinePageSchema,
  },
  { ...read, path: '/quarantine/{id}', summary: 'One of them', answer: quarantinedDetailsSchema },
  { ...read, path: '/reload', summary: 'Which programs file each process works by', answer: programsStandingSchema },
  {
    ...act,
    path: '/reload',
    summary: 'Read the programs file again, everywhere',
    body: reloadRequestSchema,
    answer: reloadResultSchema,
  },
  { ...read, path: '/replays', summary: 'Replay jobs', answer: replayListSchema },
  { ...act, path: '/replays', summary: 'Send many once more', body: replayRequestSchema, answer: replayViewSchema },
  { ...read, path: '/replays/{id}', summary: 'How far a replay is', answer: replayViewSchema },
  {
    ...read,
    path: '/replays/{id}/items',
    summary: 'What came of each item',
    query: replayItemsQuerySchema,
    answer: replayItemsPageSchema,
  },
  ...(['pause', 'resume', 'cancel'] as const).map((steering) => ({
    ...act,
    path: `/replays/{id}/${steering}`,
    summary: { pause: 'Pause a replay', resume: 'Let it go on', cancel: 'Send nothing more of it' }[steering],
    body: replaySteeringSchema,
    answer: replayViewSchema,
  })),
];
