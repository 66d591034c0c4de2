import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const intervalMs = 1_000;
const kibibytesPerMebibyte = 1_024;

/** Resident memory of a process, MiB. */
const residentMebibytes = async (pid: number): Promise<number> => {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', `${pid}`]);
  return Number(stdout) / kibibytesPerMebibyte;
};

export interface MemorySampling {
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
