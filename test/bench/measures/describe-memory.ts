import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { median } from '../statistics.js';

const run = promisify(execFile);
const intervalMs = 1_000;
const kibibytesPerMebibyte = 1_024;

/** Resident memory of a process, MiB. */
const residentMebibytes = async (pid: number): Promise<number> => {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', `${pid}`]);
  return Number(stdout) / kibibytesPerMebibyte;
};

interface MemorySampling {
  /** Ends it; the samples in their order, MiB. */
  stop(): Promise<number[]>;
}

/** Looks every second, until it is stopped. */
export const sampleMemory = (pid: number): MemorySampling => {
  const samples: number[] = [];
  const looks: Promise<unknown>[] = [];
  const look = async (): Promise<void> => void samples.push(await residentMebibytes(pid));
  // A process that is gone fails whoever waits for its work.
  const timer = setInterval(() => looks.push(look().catch(() => undefined)), intervalMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(looks);
      return samples;
    },
  };
};

export interface MemoryFigures {
  /** Median of each fifth of the run. */
  readonly fifths: readonly number[];
  readonly max: number;
  /** The last fifth's median by the second's: in the first one the program still compiles and fills its pools. */
  readonly growth: number;
}

const parts = 5;

/** Whether memory grows over a run, told by samples in their order. */
export const describeMemory = (samples: readonly number[]): MemoryFigures => {
  const fifths = Array.from({ length: parts }, (_, part) => {
    const at = (end: number): number => Math.round((samples.length * end) / parts);
    return median(samples.slice(at(part), at(part + 1)));
  });
  return { fifths, max: Math.max(...samples), growth: (fifths[parts - 1] ?? NaN) / (fifths[1] ?? NaN) };
};
