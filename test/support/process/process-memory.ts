import { readFile } from 'node:fs/promises';

const kibibytesPerMebibyte = 1_024;

export interface ProcessMemory {
  /** Resident now. */
  readonly residentMebibytes: number;
  /** The most that was ever resident. */
  readonly peakMebibytes: number;
}

/** What Linux says of a process in `/proc`. Rejects where there is no such process. */
export async function processMemory(pid: number): Promise<ProcessMemory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mebibytesOf = (line: string): number =>
    Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / kibibytesPerMebibyte;
  return { residentMebibytes: mebibytesOf('VmRSS'), peakMebibytes: mebibytesOf('VmHWM') };
}
