import { Injectable } from '@nestjs/common';

import type { ProgramsProcess, ProgramsStatus, ReloadRequest, ReloadResult } from '#contracts';
import type { ListedProcess } from '#intents';
import { disagreeingSince, ProcessRepository, processReportMs, ProgramsLoadRepository } from '#intents';
import { Clock } from '#platform';

import type { Actor } from '../access/operator.js';
import { auditContextOf, requireAdminFor } from '../access/operator.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { ReloadOutcome } from './programs-control.js';
import { ProgramsControl } from './programs-control.js';

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
function programsStatus(processes: readonly ListedProcess[], answering: string): ProgramsStatus {
  const since = disagreeingSince(processes.filter(({ isAlive }) => isAlive).map(({ programs }) => programs));
  return {
    agree: since === null,
    disagreeingSince: isoTimeOrNull(since),
    processes: processes.map((process) => toView(process, answering)),
  };
}

/** How long the others are waited for: they see the request with their next report, and tell of it with the one after. */
const followMsMax = 3 * processReportMs;
const followPollMs = 250;
/** Problems listed at most: the first of them is the one to mend. */
const problemsShownMax = 50;

function refusedFile({ kind, problems }: Refused): ApiProblem {
  const detail = problems.slice(0, problemsShownMax).join('\n');
  const title = 'The programs file cannot be taken over; nothing was changed';
  return new ApiProblem({ status: 422, code: `programs-file-${kind}`, title, detail });
}

type Refused = Exclude<ReloadOutcome, { readonly kind: 'done' }>;

/** Which programs file each process works by; has all read theirs again. */
@Injectable()
export class ReloadService {
  constructor(
    private readonly processes: ProcessRepository,
    private readonly loads: ProgramsLoadRepository,
    private readonly clock: Clock,
    private readonly programs: ProgramsControl,
  ) {}

  async status(): Promise<ProgramsStatus> {
    return programsStatus(await this.listProcesses(), this.programs.processId);
  }

  /** @throws {ApiProblem} where the file cannot be taken over; nothing was changed */
  async reload({ reason, accept }: ReloadRequest, actor: Actor): Promise<ReloadResult> {
    requireAdminFor(accept, actor);
    const audit = auditContextOf(actor, reason, this.clock);
    const outcome = await this.programs.reload((read) => this.loads.requestReload({ ...read, accept }, audit));
    if (outcome.kind !== 'done') throw refusedFile(outcome);
    const { changed, hash } = outcome;
    const processes = await this.followed(hash);
    const problems = processes.flatMap(({ isAlive, host, programs: { hash: other }, programsProblem }) =>
      isAlive && other !== hash ? [`${host}: ${programsProblem ?? 'still works by another file'}`] : [],
    );
    const names = [...outcome.programs];
    return { changed, hash, programs: names, problems, ...programsStatus(processes, this.programs.processId) };
  }

  /** How the processes stand when all have followed, or when that takes too long. */
  private async followed(hash: string): Promise<readonly ListedProcess[]> {
    const { clock } = this;
    const giveUpAt = clock.monotonic() + followMsMax;
    for (;;) {
      const processes = await this.listProcesses();
      const isDone = processes.every(({ isAlive, programs }) => !isAlive || programs.hash === hash);
      if (isDone || clock.monotonic() >= giveUpAt) return processes;
      await clock.sleep(followPollMs);
    }
  }

  private async listProcesses(): Promise<readonly ListedProcess[]> {
    return this.processes.list(this.clock.now());
  }
}
