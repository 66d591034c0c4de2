import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Linux counts processor time in hundredths of a second, whatever the kernel's own tick. */
const ticksPerSecond = 100;
/** Fields of /proc/PID/stat after the name in parentheses, counted from 0. */
const userField = 11;
const systemField = 12;

interface ProcessCpu {
  readonly name: string;
  readonly seconds: number;
}

/** Processor time of a process so far, or null where the system does not say. */
const processCpu = (pid: number): ProcessCpu | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const nameEnd = text.lastIndexOf(')');
    const fields = text.slice(nameEnd + 2).split(' ');
    const ticks = Number(fields[userField]) + Number(fields[systemField]);
    return { name: text.slice(text.indexOf('(') + 1, nameEnd), seconds: ticks / ticksPerSecond };
  } catch {
    return null;
  }
};

/** Processor time that the whole machine spent so far, seconds. */
const machineCpuSeconds = (): number => {
  const busyMs = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq);
  return busyMs.reduce((sum, each) => sum + each, 0) / 1_000;
};

/** Whose processor time is told apart from the rest of the machine's. */
export interface WatchedProcesses {
  readonly sandbox: number;
  /** Of the sandbox's connections, as Postgres numbers them: they mean nothing here when it runs elsewhere. */
  readonly backends: readonly number[];
}

/** Processors kept busy, on average. */
export interface CpuReading {
  readonly sandbox: number | null;
  /** The sandbox's connections inside Postgres. */
  readonly postgres: number | null;
  /** Everything on the machine. */
  readonly machine: number;
}

interface Sample {
  readonly sandbox: number | null;
  readonly postgres: number | null;
  readonly machine: number;
}

const sample = ({ sandbox, backends }: WatchedProcesses): Sample => {
  const postgres = backends.flatMap((pid) => processCpu(pid) ?? []).filter(({ name }) => name === 'postgres');
  return {
    sandbox: processCpu(sandbox)?.seconds ?? null,
    postgres: postgres.length === 0 ? null : postgres.reduce((sum, { seconds }) => sum + seconds, 0),
    machine: machineCpuSeconds(),
  };
};

/** Starts to measure. Connections that come or go meanwhile are not counted: a pool under load keeps its own. */
export const meterCpu = (processes: WatchedProcesses): { read(): CpuReading } => {
  const startedAt = performance.now();
  const before = sample(processes);
  return {
    read: () => {
      const seconds = (performance.now() - startedAt) / 1_000;
      const after = sample(processes);
      const cores = (from: number | null, to: number | null): number | null =>
        from === null || to === null ? null : Math.max(0, to - from) / seconds;
      return {
        sandbox: cores(before.sandbox, after.sandbox),
        postgres: cores(before.postgres, after.postgres),
        machine: (after.machine - before.machine) / seconds,
      };
    },
  };
};
