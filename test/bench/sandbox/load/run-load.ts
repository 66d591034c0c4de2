import { runClosedLoop } from './closed-loop.js';
import { latenciesOf } from './latencies.js';
import { LoadConnection } from './load-connection.js';
import type { LoadFigures, LoadJob, LoadTarget } from './load-job.js';
import { runOpenLoop } from './open-loop.js';
import { requestWriter } from './requests.js';

/** Runs one job in this process. Throws at the first answer that is not a 200. */
export const runLoad = async (job: LoadJob, target: LoadTarget): Promise<LoadFigures> => {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => LoadConnection.open(target)));
  const requestOf = requestWriter(job, target);
  const { rate } = job;
  const cpuBefore = process.cpuUsage();
  try {
    const { latenciesMs, seconds } =
      rate === null
        ? await runClosedLoop(job, connections, requestOf)
        : await runOpenLoop({ ...job, rate }, connections, requestOf);
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      done: latenciesMs.length,
      seconds,
      latencyMs: latenciesOf(latenciesMs),
      cpuSeconds: (user + system) / 1e6,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
};
