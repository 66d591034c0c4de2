import { Logger, makeWorkerUtils } from 'graphile-worker';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import type { BacklogSize } from './fill-store.js';

const jobsPerStatement = 5_000;

/** The library's own `add_jobs`, many at once; `run_at` one after the other, for that is its order. */
const addJobsIn = (queue: string): string => `
SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
  SELECT ROW('send', json_build_object('member', g % $3, 'rank', g / $3 + 1), ${queue},
    timestamptz '2026-01-01' + g * interval '1 ms', 1::smallint, NULL, 0::smallint, NULL)::graphile_worker.job_spec
  FROM generate_series($1::int, $2::int) AS g ORDER BY g))`;

const addOrderedJobs = addJobsIn("'m_' || (g % $3)");
const addUnorderedJobs = addJobsIn('NULL');

/** The same backlog as jobs of graphile-worker: one named queue per member, or no queues. */
export const fillGraphile = async (url: string, size: BacklogSize, isOrdered: boolean): Promise<void> => {
  const { members, intentsPerMember } = size;
  const utils = await makeWorkerUtils({ connectionString: url, logger: new Logger(() => () => undefined) });
  await utils.migrate();
  await utils.release();
  await runSql(url, "INSERT INTO graphile_worker._private_tasks (identifier) VALUES ('send') ON CONFLICT DO NOTHING");
  const total = members * intentsPerMember;
  for (let from = 0; from < total; from += jobsPerStatement) {
    await runSql(url, isOrdered ? addOrderedJobs : addUnorderedJobs, [
      from,
      Math.min(total, from + jobsPerStatement) - 1,
      members,
    ]);
  }
  await settle(url);
};
