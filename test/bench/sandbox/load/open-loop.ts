import type { LoadConnection } from './load-connection.js';
import type { LoadJob } from './load-job.js';
import { expectOk, type LoopResult } from './loop-result.js';

/** Requests that fall due between two looks at the clock are sent together; the delay counts as latency. */
const lookIntervalMs = 1;

/**
 * Requests at a given rate, evenly spaced, each measured from when it was due: one that had to wait for a free
 * connection because the sandbox was slow counts with its wait (no coordinated omission).
 */
export const runOpenLoop = async (
  job: LoadJob & { readonly rate: number },
  connections: readonly LoadConnection[],
  requestOf: (index: number) => string,
): Promise<LoopResult> => {
  const latenciesMs: number[] = [];
  const idle = [...connections];
  const total = Math.ceil(job.rate * job.seconds);
  const finished = Promise.withResolvers<LoopResult>();
  const startedAt = performance.now();
  const dueAt = (index: number): number => startedAt + (index * 1_000) / job.rate;
  let sent = 0;
  const send = async (connection: LoadConnection, index: number): Promise<void> => {
    const request = requestOf(index);
    expectOk(await connection.exchange(request), request);
    latenciesMs.push(performance.now() - dueAt(index));
    idle.push(connection);
    if (latenciesMs.length < total) sendDue();
    else finished.resolve({ latenciesMs, seconds: (performance.now() - startedAt) / 1_000 });
  };
  const sendDue = (): void => {
    while (sent < total && dueAt(sent) <= performance.now()) {
      const connection = idle.pop();
      if (connection === undefined) return;
      send(connection, sent).catch(finished.reject);
      sent += 1;
    }
  };
  const timer = setInterval(sendDue, lookIntervalMs);
  return finished.promise.finally(() => clearInterval(timer));
};
