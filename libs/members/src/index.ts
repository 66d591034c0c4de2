import { issue, runWorkflow } from './calls/issue-pass.js';
import { scheduleUpdate } from './calls/schedule-update.js';

export { findPass, planLookup } from './calls/find-pass.js';
export { countPasses, listPasses } from './calls/list-passes.js';
export { judgeScheduleTime } from './calls/schedule-time.js';
export { scheduleUpdate } from './calls/schedule-update.js';
export { enrolmentAsUpdate, renewalOfAnswered, renewalOfFound } from './enrolment-as-update.js';
export { memberEventTypes } from './member-event-types.js';

/** How each command about a member's pass is called (partner-api.md 4.2 to 4.4). */
export const memberCalls = {
  issue,
  'issue-via-workflow': runWorkflow,
  'update-via-workflow': runWorkflow,
  'schedule-update': scheduleUpdate,
} as const;
