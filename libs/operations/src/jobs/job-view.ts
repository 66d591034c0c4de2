import type { JobView } from '#contracts';
import type { Job } from '#intents';

import { isoTime, isoTimeOrNull } from '../requests/iso-time.js';

/** An export keeps none: they are read where they are, and counted. */
function linesOf({ kind, lines, progress: { intents = 0, events = 0 } }: Job): number {
  return kind === 'export' ? intents + events : lines;
}

export function toJobView(job: Job): JobView {
  const { jobId: id, kind, program, request, reason, state, progress, report, error, createdBy } = job;
  return {
    ...{ id, kind, program, reason, state, report, error, createdBy },
    lines: linesOf(job),
    request: { ...request },
    progress: { ...progress },
    createdAt: isoTime(job.createdAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
  };
}
