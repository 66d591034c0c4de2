import type { JobLinesPage, JobList, JobView } from '#contracts';

import type { JobKind, JobName } from '../bulk/job.js';
import { jobKinds, jobName, jobPath, jobPaths } from '../bulk/job.js';
import type { ApiClient } from '../http/api-client.js';
import { ApiFailure, noSuchPath } from '../http/api-failure.js';
import type { ListRequest, Page } from '../http/list-pages.js';
import { pagedList } from '../http/list-pages.js';
import { statusColour } from '../output/colours.js';
import { countsText } from '../output/counts.js';
import { ageText } from '../output/times.js';
import type { ListSource } from './list-source.js';

const byTime = (a: JobView, b: JobView): number => Date.parse(b.createdAt) - Date.parse(a.createdAt);

/** None where the server has no such jobs: an older one may lack some kinds. */
async function jobsOf(
  client: ApiClient,
  kind: JobKind,
  isWanted: (job: JobView) => boolean,
): Promise<readonly JobView[]> {
  try {
    const { items } = (await client.get(jobPaths[kind])) as JobList;
    return items.filter(isWanted);
  } catch (error) {
    if (error instanceof ApiFailure && error.problem.code === noSuchPath) return [];
    throw error;
  }
}

/** All kinds together, the newest first: the API has a list of each. */
async function* allJobs(client: ApiClient, request: ListRequest<JobView>): AsyncGenerator<Page<JobView>> {
  const { query, limit, isWanted } = request;
  const kinds = jobKinds.filter((kind) => query['kind'] === undefined || query['kind'] === kind);
  const lists = await Promise.all(kinds.map((kind) => jobsOf(client, kind, isWanted)));
  const jobs = lists.flat().sort(byTime);
  yield { items: jobs.slice(0, limit), hasMore: jobs.length > limit };
}

export const jobsSource: ListSource<JobView> = {
  path: '',
  keys: { kind: jobKinds },
  pages: allJobs,
  since: ({ createdAt }) => createdAt,
  columns: [
    { title: 'JOB', of: jobName },
    { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
    { title: 'PROGRAM', of: ({ program }) => program },
    { title: 'PROGRESS', of: ({ progress }) => countsText(progress) },
    { title: 'BY', of: ({ createdBy }) => createdBy },
    { title: 'AGE', of: ({ createdAt }) => ageText(createdAt) },
    { title: 'FINISHED', of: ({ finishedAt }) => finishedAt, isWide: true },
    { title: 'ERROR', of: ({ error }) => error, isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: jobName,
};

type Line = JobLinesPage['items'][number];

/** What a job found or wrote down, in its order. */
export function jobLinesSource(name: JobName): ListSource<Line> {
  return {
    path: `${jobPath(name)}/lines`,
    keys: {},
    pages: pagedList,
    since: () => '',
    columns: [{ title: 'LINE', of: (line) => JSON.stringify(line) }],
    nameOf: (line) => JSON.stringify(line),
  };
}
