import { startChild } from '../child.js';
import type { Arrival, StubCounts } from './stub-answers.js';

export interface PartnerStub {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Forgets what it has seen. */
  reset(): Promise<void>;
  counts(): Promise<StubCounts>;
  /** Processor time of its process so far. */
  cpuSeconds(): Promise<number>;
  /** What has come since it was last asked. Only of a stub that was started to note it. */
  arrivals(): Promise<Arrival[]>;
  stop(): Promise<void>;
}

const answerTimeoutMs = 10_000;

/**
 * The instant partner, in a process of its own.
 * @param args `arrivals`: it notes when each call came
 */
export const startStub = async (args: readonly 'arrivals'[] = []): Promise<PartnerStub> => {
  const { child, hello } = await startChild('stub/stub-process', args);
  const ask = (message: 'reset' | 'counts'): Promise<StubCounts> => child.ask(message, answerTimeoutMs);
  return {
    origin: `http://127.0.0.1:${(hello as { readonly port: number }).port}`,
    reset: async () => {
      await ask('reset');
    },
    counts: () => ask('counts'),
    cpuSeconds: () => child.ask('cpu', answerTimeoutMs),
    arrivals: () => child.ask('arrivals', answerTimeoutMs),
    stop: () => child.stop(),
  };
};
