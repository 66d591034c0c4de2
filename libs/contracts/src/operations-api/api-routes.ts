import type { ApiRoute } from './api-route.js';
import { recordBodyBytesMax } from './api-route.js';
import { ACT, READ, RESUMED_OR_CANCELLED } from './route-beginnings.js';
import { auditPageSchema, auditQuerySchema } from './audit-api.js';
import { jobRoutes } from './job-routes.js';
import { exportLinesPageSchema, exportLinesQuerySchema } from './exports-api.js';
import {
  adoptionRequestSchema,
  rereadingRequestSchema,
  erasureRequestSchema,
  exportRequestSchema,
  provisioningRequestSchema,
  reconciliationRequestSchema,
} from './jobs-api.js';
import { doctorReportSchema } from './doctor-api.js';
import { groupListSchema } from './groups-api.js';
import {
  intentActionResultSchema,
  intentActionSchema,
  intentCorrectionResultSchema,
  intentCorrectionSchema,
  intentDetailsSchema,
  intentPageSchema,
  intentQuerySchema,
  intentReplaySchema,
  intentResolutionSchema,
} from './intents-api.js';
import { memberViewSchema, unmaskedMemberSchema, unmaskSchema } from './members-api.js';
import { pauseListSchema, pauseRequestSchema, pauseResultSchema, pauseViewSchema } from './pauses-api.js';
import { provisionedListSchema, provisionedViewSchema, stepResolutionSchema } from './provisioning-api.js';
import { quarantineRoutes } from './quarantine-routes.js';
import { programsStandingSchema, reloadRequestSchema, reloadResultSchema } from './reload-api.js';
import {
  replayItemsPageSchema,
  replayItemsQuerySchema,
  replayListSchema,
  replayRequestSchema,
  replaySteeringSchema,
  replayViewSchema,
} from './replays-api.js';
import { STREAM_EVENTS, statsViewSchema } from './stats-api.js';

const decidedByAdmin = 'What an admin has corrected, taken in or forced, as only an admin may, takes an admin.';

/** Every path of the operations API. */
export const API_ROUTES: readonly ApiRoute[] = [
  ...jobRoutes({ path: '/adoptions', what: 'Adoptions', role: 'operator', body: adoptionRequestSchema }),
  { ...READ, path: '/audit', summary: 'Who did what', query: auditQuerySchema, answer: auditPageSchema },
  { ...READ, path: '/contracts', role: null, summary: 'JSON Schemas and AsyncAPI of the topics' },
  ...jobRoutes({ path: '/rereadings', what: 'Rereadings', role: 'operator', body: rereadingRequestSchema }),
  ...jobRoutes({ path: '/erasures', what: 'Erasures', role: 'admin', body: erasureRequestSchema }),
  ...jobRoutes({
    path: '/exports',
    what: 'Exports',
    role: 'operator',
    body: exportRequestSchema,
    lines: { query: exportLinesQuerySchema, answer: exportLinesPageSchema },
  }),
  { ...READ, path: '/doctor', summary: 'What is wrong, and how to mend it', answer: doctorReportSchema },
  { ...READ, path: '/groups', summary: 'Failures by cause', answer: groupListSchema },
  { ...READ, path: '/intents', summary: 'Intents', query: intentQuerySchema, answer: intentPageSchema },
  { ...READ, path: '/intents/{id}', summary: 'One intent with its whole story', answer: intentDetailsSchema },
  {
    ...ACT,
    adminFor: '`force` takes an admin.',
    path: '/intents/{id}/replay',
    summary: 'Send a parked intent once more',
    body: intentReplaySchema,
    answer: intentActionResultSchema,
  },
  {
    ...ACT,
    adminFor: decidedByAdmin,
    path: '/intents/{id}/cancel',
    summary: 'Do not send it',
    body: intentActionSchema,
    answer: intentActionResultSchema,
  },
  {
    ...ACT,
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
    adminFor: `\`force\` takes an admin. As delivered: ${decidedByAdmin}`,
    path: '/intents/{id}/resolve',
    summary: 'Say what became of it',
    body: intentResolutionSchema,
    answer: intentActionResultSchema,
  },
  { ...READ, path: '/members/{program}/{memberId}', summary: 'One member', answer: memberViewSchema },
  {
    ...ACT,
    role: 'admin',
    path: '/members/{program}/{memberId}/unmask',
    summary: 'One member with everything personal',
    body: unmaskSchema,
    answer: unmaskedMemberSchema,
  },
  { ...READ, path: '/pauses', summary: 'What is paused', answer: pauseListSchema },
  { ...ACT, path: '/pauses', summary: 'Pause', body: pauseRequestSchema, answer: pauseResultSchema },
  {
    ...ACT,
    method: 'delete',
    path: '/pauses',
    summary: 'Let it go on',
    query: pauseRequestSchema,
    body: pauseRequestSchema,
    answer: pauseViewSchema,
  },
  ...jobRoutes({ path: '/provisionings', what: 'Provisioning', role: 'operator', body: provisioningRequestSchema }),
  { ...READ, path: '/provisionings/recorded', summary: 'What we set up at the partner', answer: provisionedListSchema },
  {
    ...ACT,
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
  { ...READ, path: '/reload', summary: 'Which programs file each process works by', answer: programsStandingSchema },
  {
    ...ACT,
    path: '/reload',
    summary: 'Read the programs file again, everywhere',
    body: reloadRequestSchema,
    answer: reloadResultSchema,
  },
  { ...READ, path: '/replays', summary: 'Replay jobs', answer: replayListSchema },
  {
    ...ACT,
    adminFor: '`force` takes an admin, and so does starting what an admin has planned.',
    path: '/replays',
    summary: 'Send many once more',
    body: replayRequestSchema,
    answer: replayViewSchema,
  },
  { ...READ, path: '/replays/{id}', summary: 'How far a replay is', answer: replayViewSchema },
  {
    ...READ,
    path: '/replays/{id}/items',
    summary: 'What came of each item',
    query: replayItemsQuerySchema,
    answer: replayItemsPageSchema,
  },
  { ...READ, path: '/stats', summary: 'How things stand', answer: statsViewSchema },
  { ...READ, path: '/stream', summary: 'What changes, as Server-Sent Events', events: STREAM_EVENTS },
  ...(['pause', 'resume', 'cancel'] as const).map((steering) => ({
    ...ACT,
    ...(steering === 'pause' ? {} : { adminFor: RESUMED_OR_CANCELLED }),
    path: `/replays/{id}/${steering}`,
    summary: { pause: 'Pause a replay', resume: 'Let it go on', cancel: 'Send nothing more of it' }[steering],
    body: replaySteeringSchema,
    answer: replayViewSchema,
  })),
];
