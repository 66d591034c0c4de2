import type { z } from 'zod';

import type { JobLinesPage, JobList, JobView, Program, ProgramsFile } from '#contracts';
import type { jobLinesQuerySchema } from '#contracts';

import type { Actor } from '../access/operator.js';
import { actingRole, auditContextOf, maySee, programMeant, requireRoleOf } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, isoTimeOrNull, refuseRequest } from '../requests/read-request.js';
import type { Job, JobKindName, JobState, JobSteering, NewJob } from './job-store.js';
import { createJob, findJob, JobIdTakenError, listJobLines, listJobs, steerJob } from './job-store.js';

export interface JobOrder {
  readonly id?: string | undefined;
  readonly program?: string | null | undefined;
  readonly reason: string;
  /** What its kind needs besides. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What of it the audit shall show; nothing personal. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** What the controllers of all kinds of stored jobs do alike. */
export class JobService {
  constructor(
    private readonly settings: ApiSettings,
    private readonly kind: JobKindName,
  ) {}

  async list({ programs }: Actor): Promise<JobList> {
    return { items: (await listJobs(this.settings.database, { kind: this.kind, programs })).map(toJobView) };
  }

  async one(id: string, actor: Actor): Promise<JobView> {
    return toJobView(await this.find(id, actor));
  }

  /** @throws {ApiProblem} */
  async lines(
    id: string,
    { cursor = '0', limit }: z.output<typeof jobLinesQuerySchema>,
    actor: Actor,
  ): Promise<JobLinesPage> {
    const { jobId } = await this.find(id, actor);
    const lines = await listJobLines(this.settings.database, { jobId, after: Number(cursor), limit });
    const last = lines.length < limit ? undefined : lines.at(-1);
    return {
      items: lines.map(({ data }) => ({ ...data })),
      nextCursor: last === undefined ? null : String(last.ordinal),
    };
  }

  /** @throws {ApiProblem} */
  async create({ id, reason, request, detail = {}, ...order }: JobOrder, actor: Actor): Promise<JobView> {
    const jobId = id ?? this.settings.random.uuid();
    const program = programMeant(actor.programs, order.program ?? undefined) ?? null;
    const asker = { audit: auditContextOf(actor, reason, this.settings.clock), role: actingRole(actor) };
    return toJobView(await this.make({ ...asker, jobId, kind: this.kind, program, request, detail }));
  }

  /** @throws {ApiProblem} */
  async steer(
    id: string,
    steering: JobSteering,
    { actor, reason }: { readonly actor: Actor; readonly reason: string },
  ): Promise<JobView> {
    const job = await this.find(id, actor);
    const audit = auditContextOf(actor, reason, this.settings.clock);
    const steered = await steerJob(this.settings.database, { job, steering, audit, role: actingRole(actor) });
    if (steered !== null) return toJobView(steered);
    const found = await this.find(id, actor);
    if (steering !== 'pause') requireRoleOf(found, actor);
    throw jobStandsOtherwise(found.state);
  }

  /** @throws {ApiProblem} where there is none, or none that they may know of */
  async find(id: string, { programs }: Pick<Actor, 'programs'>): Promise<Job> {
    const job = await findJob(this.settings.database, id);
    if (job?.kind !== this.kind || !maySee(programs, job.program)) throw noSuchJob();
    return job;
  }

  private async make(job: NewJob): Promise<Job> {
    try {
      return await createJob(this.settings.database, job);
    } catch (error) {
      throw error instanceof JobIdTakenError ? idTaken() : error;
    }
  }
}

/** An export keeps none: they are read where they are, and counted. */
function linesOf({ kind, lines, progress: { intents = 0, events = 0 } }: Job): number {
  return kind === 'export' ? intents + events : lines;
}

function toJobView(job: Job): JobView {
  const { jobId: id, kind, program, request, reason, state, progress, report, error, createdBy } = job;
  return {
    ...{
      id,
      kind: kind as JobView['kind'],
      state: state as JobView['state'],
      program,
      reason,
      report,
      error,
      createdBy,
    },
    lines: linesOf(job),
    request: { ...request },
    progress: { ...progress },
    createdAt: isoTime(job.createdAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
  };
}

function noSuchJob(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-job', title: 'There is no such job' });
}

function jobStandsOtherwise(state: JobState): ApiProblem {
  const title = 'The job does not stand so that this could be done';
  return new ApiProblem({ status: 409, code: 'job-state', title, detail: `It is ${state}.` });
}

function idTaken(): ApiProblem {
  const detail = 'The id belongs to a job that was asked for otherwise. Ask with an id of its own.';
  return new ApiProblem({ status: 409, code: 'id-taken', title: 'The id is taken', detail });
}

function sharedAtPartner(program: string): ApiProblem {
  const detail = `${program} and programs that your token is not limited to are one program of the partner.`;
  return new ApiProblem({ status: 403, code: 'limited-to-programs', title: 'You may not do this', detail });
}

/**
 * A program whose passes are to be read or changed at the partner. There two programs of the file may be one: then whoever
 * may not know of both has no part in its passes.
 * @throws {ApiProblem} where they may not know of it, or the programs file in force has no such program
 */
export function requireProgram(
  { programs }: ProgramsFile,
  name: string,
  { programs: limit }: Pick<Actor, 'programs'>,
): Program {
  programMeant(limit, name);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) return refuseRequest('program: the programs file has no such program');
  const { brandId, programId } = program;
  const isHidden = ([other, place]: [string, Program]): boolean =>
    !maySee(limit, other) && place.brandId === brandId && place.programId === programId;
  if (Object.entries(programs).some(isHidden)) throw sharedAtPartner(name);
  return program;
}
