import { startChild } from '../child.js';
import type { Arrival, StubCounts } from './stub-answers.js';

export interface PartnerStub {
  /** `http://127.0.0.1:PORT`, or https with `loopbackCertificate` */
  readonly origin: string;
  /** Forgets what it has seen. */
  reset(): Promise<void>;
  counts(): Promise<StubCounts>;
  /** Processor time of its process so far. */
  cpuSeconds(): Promise<number>;
  /** What has come since it was last asked. Only of a stub that was started to note it. */
  arrivals(): Promise<Arrival[]>;
  /** Calls that waited for their answers at once, at most, since it was last asked. */
  mostAtOnce(): Promise<number>;
  stop(): Promise<void>;
}

const answerTimeoutMs = 10_000;

interface StubOptions {
  /** It notes when each call came. Default: `false`. */
  readonly notesArrivals?: boolean;
  /** How long it takes for an answer, milliseconds. Default: 0. */
  readonly answerMs?: number;
  /** It speaks TLS. Default: `false`. */
  readonly isSecured?: boolean;
}

/** The partner, in a process of its own. */
export const startStub = async (options: StubOptions = {}): Promise<PartnerStub> => {
  const { notesArrivals = false, answerMs = 0, isSecured = false } = options;
  const args = [notesArrivals, answerMs, isSecured].map(String);
  const { child, hello } = await startChild('stub/stub-process', args);
  const ask = (message: 'reset' | 'counts'): Promise<StubCounts> => child.ask(message, answerTimeoutMs);
  return {
    origin: `${isSecured ? 'https' : 'http'}://127.0.0.1:${(hello as { readonly port: number }).port}`,
    reset: async () => {
      await ask('reset');
    },
    counts: () => ask('counts'),
    cpuSeconds: () => child.ask('cpu', answerTimeoutMs),
    arrivals: () => child.ask('arrivals', answerTimeoutMs),
    mostAtOnce: () => child.ask('mostAtOnce', answerTimeoutMs),
    stop: () => child.stop(),
  };
};
