import type { JobView } from '#contracts';

import type { JobName } from '../bulk/job.js';
import { jobName, jobPath } from '../bulk/job.js';
import { countsText } from '../output/counts.js';
import { fields, section } from '../output/fields.js';
import { payloadText } from '../output/payload.js';
import { timeText } from '../output/times.js';
import type { Described } from './describe.js';

/** What a job says of itself, and its report. */
export function jobText(job: JobView): string {
  const head = fields([
    ['Job', jobName(job)],
    ['State', job.state],
    ['Error', job.error],
    ['Program', job.program],
    ['Reason', job.reason],
    ['By', job.createdBy],
    ['Created', timeText(job.createdAt)],
    ['Finished', timeText(job.finishedAt)],
    ['Progress', countsText(job.progress)],
  ]);
  return `${head}${section('Report', payloadText(job.report))}`;
}

/** Stored work on many records, with its report. */
export function job(name: JobName): Described<JobView> {
  return {
    load: async (client) => (await client.get(jobPath(name))) as JobView,
    text: jobText,
    nameOf: (found) => jobName({ ...found, kind: name.kind }),
  };
}
