import type { Job, JobKind } from '../bulk/job.js';
import { jobKinds, jobName, jobPaths } from '../bulk/job.js';
import type { ApiClient } from '../http/api-client.js';
import type { ListRequest, Page } from '../http/list-pages.js';
import { wholeList } from '../http/list-pages.js';
import { statusColour } from '../output/colours.js';
import { countsText } from '../output/counts.js';
import { ageText } from '../output/times.js';
import type { ListSource } from './list-source.js';

const byTime = (a: Job, b: Job): number => Date.parse(b.createdAt) - Date.parse(a.createdAt);

async function jobsOf(client: ApiClient, kind: JobKind, request: ListRequest<Job>): Promise<readonly Job[]> {
  const pages: Page<Job>[] = [];
  for await (const page of wholeList(client, { ...request, path: jobPaths[kind], query: {}, limit: Infinity })) {
    pages.push(page);
  }
  return pages.flatMap(({ items }) => items);
}

/** All kinds together, the newest first: the API has a list of each. */
async function* allJobs(client: ApiClient, request: ListRequest<Job>): AsyncGenerator<Page<Job>> {
  const { query, limit } = request;
  const kinds = jobKinds.filter((kind) => query['kind'] === undefined || query['kind'] === kind);
  const lists = await Promise.all(kinds.map((kind) => jobsOf(client, kind, request)));
  const jobs = lists.flat().sort(byTime);
  yield { items: jobs.slice(0, limit), hasMore: jobs.length > limit };
}

export const jobsSource: ListSource<Job> = {
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
