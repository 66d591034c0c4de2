import { readdir, readFile } from 'node:fs/promises';

/** Linux counts processor time for users in hundredths of a second, whatever its clock. */
const ticksPerSecond = 100;
/** Children end rarely while one looks. */
const pollsMax = 10;

interface ProcessTimes {
  readonly name: string;
  readonly parent: number;
  /** Its own, and that of its children that have ended; ticks. */
  readonly own: number;
  readonly ended: number;
}

/** proc(5): the name stands in brackets and may hold anything; the numbers after it begin with field 3. */
export const parseStat = (text: string): ProcessTimes => {
  const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { name, parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
};

/** Null for a process that has ended meanwhile, or on a system without /proc. */
const timesOf = async (pid: number | string): Promise<ProcessTimes | null> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return text === null ? null : parseStat(text);
};

const ticksOfChildren = async (parent: number): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map(timesOf));
  return all.reduce((sum, times) => sum + (times?.parent === parent ? times.own : 0), 0);
};

/**
 * Processor time of a process and of its children so far, in seconds; null where it does not run here, or where one cannot
 * tell.
 */
export const treeCpuSeconds = async (pid: number): Promise<number | null> => {
  for (let poll = 1; poll <= pollsMax; poll += 1) {
    const parent = await timesOf(pid);
    const running = await ticksOfChildren(pid);
    const after = await timesOf(pid);
    // Else a child ended while we looked: its time may have been missed, or counted twice.
    if (parent !== null && parent.ended === after?.ended) return (parent.own + parent.ended + running) / ticksPerSecond;
  }
  return null;
};

/**
 * Processor time of a Postgres server so far, all its processes together, in seconds; null where it does not run here.
 * @param backendPid one of its sessions
 */
export const serverCpuSeconds = async (backendPid: number): Promise<number | null> => {
  const backend = await timesOf(backendPid);
  return backend?.name.startsWith('postgres') === true ? treeCpuSeconds(backend.parent) : null;
};
