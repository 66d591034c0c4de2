import { Inject, Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type { JobLinesPage, jobLinesQuerySchema, JobList, JobRequest, JobView } from '#contracts';
import { JOB_KINDS } from '#contracts';

import type { Actor, ProgramLimit } from '../access/operator.js';
import { actingRole, auditContextOf, maySee, programMeant, requireRoleOf } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import type { LinesReader } from '../exports/export-reading.js';
import { exportedLines } from '../exports/export-reading.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, isoTimeOrNull, refuseRequest } from '../requests/read-request.js';
import { orderOf, wholeKinds } from './job-orders.js';
import type { Job, JobState, JobSteering, NewJob } from './job-store.js';
import { createJob, findJob, JobIdTakenError, listJobLines, listJobs, steerJob } from './job-store.js';

const ordinal = /^\d{1,9}$/;

function mayKnow(kind: string, programs: ProgramLimit): boolean {
  return programs === null || !wholeKinds.includes(kind);
}

/** Replays have routes of their own. */
function isShown({ kind, program }: Job, { programs }: Actor): boolean {
  return kind !== 'replay' && mayKnow(kind, programs) && maySee(programs, program);
}

/** Work that is asked for, and goes on by itself. */
@Injectable()
export class JobService {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  /** @param kind absent: of every kind */
  async list(kind: JobView['kind'] | undefined, actor: Actor): Promise<JobList> {
    const { programs } = actor;
    const kinds = JOB_KINDS.filter((each) => (kind ?? each) === each && mayKnow(each, programs));
    return { items: (await listJobs(this.settings.database, { kinds, programs })).map(toJobView) };
  }

  /** @throws {ApiProblem} */
  async one(id: string, actor: Actor): Promise<JobView> {
    return toJobView(await this.find(id, actor));
  }

  /** @returns text where that is wanted of an export @throws {ApiProblem} */
  async lines(
    id: string,
    query: z.output<typeof jobLinesQuerySchema>,
    reader: LinesReader,
  ): Promise<JobLinesPage | string> {
    const job = await this.find(id, reader.actor);
    if (job.kind === 'export') return exportedLines(this.settings, { ...query, job }, reader);
    const { cursor = '0', limit } = query;
    if (!ordinal.test(cursor)) return refuseRequest('cursor: not one of ours');
    const lines = await listJobLines(this.settings.database, { jobId: job.jobId, after: Number(cursor), limit });
    const last = lines.length < limit ? undefined : lines.at(-1);
    return {
      items: lines.map(({ data }) => ({ ...data })),
      nextCursor: last === undefined ? null : String(last.ordinal),
    };
  }

  /** @throws {ApiProblem} */
  async create(body: JobRequest, actor: Actor): Promise<JobView> {
    const { settings } = this;
    const { kind, id = settings.random.uuid(), reason } = body;
    const { request, detail = {} } = await orderOf(body, { actor, settings });
    const program = programMeant(actor.programs, body.program) ?? null;
    const asker = { audit: auditContextOf(actor, reason, settings.clock), role: actingRole(actor) };
    return toJobView(await this.make({ ...asker, jobId: id, kind, program, request, detail }));
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
  private async find(id: string, actor: Actor): Promise<Job> {
    const job = await findJob(this.settings.database, id);
    if (job === null || !isShown(job, actor)) throw noSuchJob();
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
