import type { JobView } from '#contracts';
import type { Job } from '#intents';

import { isoTime, isoTimeOrNull } from '../requests/iso-time.js';

export function toJobView(job: Job): JobView {
  const { jobId: id, kind, program, request, reason, state, progress, report, error, lines, createdBy } = job;
  return {
    ...{ id, kind, program, reason, state, report, error, lines, createdBy },
    request: { ...request },
    progress: { ...progress },
    createdAt: isoTime(job.createdAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
  };
}
