import type { ApiRoute } from './api-route.js';
import { auditPageSchema, auditQuerySchema } from './audit-api.js';
import { jobRoutes } from './job-routes.js';
import { exportLinesPageSchema, exportLinesQuerySchema } from './exports-api.js';
import {
  adoptionRequestSchema,
  erasureRequestSchema,
  exportRequestSchema,
  provisioningRequestSchema,
  reconciliationRequestSchema,
} from './jobs-api.js';
import { groupListSchema } from './groups-api.js';
import {
  intentActionResultSchema,
  intentActionSchema,
  intentCorrectionResultSchema,
  intentCorrectionSchema,
  intentDetailsSchema,
  intentPageSchema,
  intentQuerySchema,
  intentResolutionSchema,
} from './intents-api.js';
import { memberViewSchema, unmaskedMemberSchema, unmaskSchema } from './members-api.js';
import { pauseListSchema, pauseRequestSchema, pauseResultSchema, pauseViewSchema } from './pauses-api.js';
import { provisionedListSchema, provisionedViewSchema, stepResolutionSchema } from './provisioning-api.js';
import { quarantineRoutes } from './quarantine-routes.js';
import {
  replayItemsPageSchema,
  replayItemsQuerySchema,
  replayListSchema,
  replayRequestSchema,
  replaySteeringSchema,
  replayViewSchema,
} from './replays-api.js';
import { STREAM_EVENTS, statsViewSchema } from './stats-api.js';

const read = { method: 'get', role: 'viewer' } as const;
const act = { method: 'post', role: 'operator' } as const;

/** Every path of the operations API. */
export const API_ROUTES: readonly ApiRoute[] = [
  ...jobRoutes({ path: '/adoptions', what: 'Adoptions', role: 'operator', body: adoptionRequestSchema }),
  { ...read, path: '/audit', summary: 'Who did what', query: auditQuerySchema, answer: auditPageSchema },
  { ...read, path: '/contracts', role: null, summary: 'JSON Schemas and AsyncAPI of the topics' },
  ...jobRoutes({ path: '/erasures', what: 'Erasures', role: 'admin', body: erasureRequestSchema }),
  ...jobRoutes({
    path: '/exports',
    what: 'Exports',
    role: 'operator',
    body: exportRequestSchema,
    lines: { query: exportLinesQuerySchema, answer: exportLinesPageSchema },
  }),
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
    path: '/intents/{id}/correct',
    summary: 'Give it another content',
    body: intentCorrectionSchema,
    answer: intentCorrectionResultSchema,
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
  ...jobRoutes({ path: '/provisionings', what: 'Provisioning', role: 'operator', body: provisioningRequestSchema }),
  { ...read, path: '/provisionings/recorded', summary: 'What we set up at the partner', answer: provisionedListSchema },
  {
    ...act,
    path: '/provisionings/steps/{stepId}/resolve',
    summary: 'Say what became of a call in doubt',
    body: stepResolutionSchema,
    answer: provisionedViewSchema,
  },
  ...jobRoutes({
    path: '/reconciliations',
    what: 'Reconciliations',
    role: 'operator',
    body: reconciliationRequestSchema,
  }),
  ...quarantineRoutes,
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
  { ...read, path: '/stats', summary: 'How things stand', answer: statsViewSchema },
  { ...read, path: '/stream', summary: 'What changes, as Server-Sent Events', events: STREAM_EVENTS },
  ...(['pause', 'resume', 'cancel'] as const).map((steering) => ({
    ...act,
    path: `/replays/{id}/${steering}`,
    summary: { pause: 'Pause a replay', resume: 'Let it go on', cancel: 'Send nothing more of it' }[steering],
    body: replaySteeringSchema,
    answer: replayViewSchema,
  })),
];
