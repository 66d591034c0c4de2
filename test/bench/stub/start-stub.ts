import { startChild } from '../child.js';
import type { StubCounts } from './stub-answers.js';

export interface PartnerStub {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Forgets what it has seen. */
  reset(): Promise<void>;
  counts(): Promise<StubCounts>;
  stop(): Promise<void>;
}

const answerTimeoutMs = 10_000;

/** The instant partner, in a process of its own. */
export const startStub = async (): Promise<PartnerStub> => {
  const { child, hello } = await startChild('stub/stub-process', []);
  const ask = (message: 'reset' | 'counts'): Promise<StubCounts> => child.ask(message, answerTimeoutMs);
  return {
    origin: `http://127.0.0.1:${(hello as { readonly port: number }).port}`,
    reset: async () => {
      await ask('reset');
    },
    counts: () => ask('counts'),
    stop: () => child.stop(),
  };
};
