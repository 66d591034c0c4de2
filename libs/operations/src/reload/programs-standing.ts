import type { ProgramsProcess, ProgramsStanding } from '#contracts';
import type { ListedProcess } from '#intents';
import { disagreeingSince } from '#intents';

import { isoTime, isoTimeOrNull } from '../requests/iso-time.js';

function toView(process: ListedProcess, answering: string): ProgramsProcess {
  const { processId: id, host, roles, programs, isAlive: alive, programsProblem: problem } = process;
  return {
    ...{ id, host, roles: [...roles], alive, answering: id === answering, problem },
    startedAt: isoTime(process.startedAt),
    heartbeatAt: isoTime(process.heartbeatAt),
    hash: programs.hash,
    since: isoTime(programs.since),
  };
}

/** Which programs file each process works by; those that are gone do not count. */
export function programsStanding(processes: readonly ListedProcess[], answering: string): ProgramsStanding {
  const since = disagreeingSince(processes.filter(({ isAlive }) => isAlive).map(({ programs }) => programs));
  return {
    agree: since === null,
    disagreeingSince: isoTimeOrNull(since),
    processes: processes.map((process) => toView(process, answering)),
  };
}
