import type { LoadConnection } from './load-connection.js';
import type { LoadJob } from './load-job.js';
import { expectOk, type LoopResult } from './loop-result.js';

/** As many requests as the sandbox can answer: every connection sends its next one when it has an answer. */
export const runClosedLoop = async (
  { seconds, requestsMax }: LoadJob,
  connections: readonly LoadConnection[],
  requestOf: (index: number) => string,
): Promise<LoopResult> => {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1_000;
  let sent = 0;
  const drive = async (connection: LoadConnection): Promise<void> => {
    for (let sentAt = performance.now(); sentAt < deadline && sent < (requestsMax ?? Infinity);) {
      const request = requestOf(sent);
      sent += 1;
      expectOk(await connection.exchange(request), request);
      const answeredAt = performance.now();
      latenciesMs.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  };
  await Promise.all(connections.map(drive));
  return { latenciesMs, seconds: (performance.now() - startedAt) / 1_000 };
};
