import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type {
  JobItemsPage,
  jobItemsQuerySchema,
  JobLinesPage,
  jobLinesQuerySchema,
  JobList,
  JobRequest,
  jobStartSchema,
  JobView,
} from '#contracts';
import { COUNTED_KINDS, JOB_KINDS } from '#contracts';
import { Clock } from '#platform';

import { OperationsObserver } from '../access/operations-observer.js';
import type { Actor } from '../access/operator.js';
import { actingRole, auditContextOf, programMeant, requireRoleOf } from '../access/operator.js';
import type { LinesReader } from './kinds/export/export-reading.js';
import { ExportLines } from './kinds/export/export-reading.js';
import { ApiProblem } from '../problems/api-problem.js';
import { refuseRequest } from '../requests/read-request.js';
import { JobItemRepository } from './job-items.js';
import { mayKnowJob, mayKnowKind } from './job-order.js';
import { JobOrders } from './job-orders.js';
import type { Job, JobState, JobSteering, NewJob } from './job-repository.js';
import { JobIdTakenError, JobRepository } from './job-repository.js';
import { ItemRequests, toItemView, toJobView } from './job-view.js';

const ordinal = /^\d{1,9}$/;

/** Work that an operator asks for and that continues by itself. */
@Injectable()
export class JobService {
  constructor(
    private readonly jobs: JobRepository,
    private readonly jobItems: JobItemRepository,
    private readonly clock: Clock,
    private readonly observer: OperationsObserver,
  ) {}

  /** @param kind absent: of every kind */
  async list(kind: JobView['kind'] | undefined, actor: Actor): Promise<JobList> {
    const { programs } = actor;
    const kinds = JOB_KINDS.filter((each) => (kind ?? each) === each && mayKnowKind(each, programs));
    return { items: await this.show(await this.jobs.list({ kinds, programs })) };
  }

  /** @throws {ApiProblem} */
  async one(id: string, actor: Actor): Promise<JobView> {
    return this.showOne(await this.find(id, actor));
  }

  /** Lets a dry run begin; where it has begun already nothing changes. @throws {ApiProblem} */
  async start(id: string, asked: z.output<typeof jobStartSchema>, actor: Actor): Promise<JobView> {
    const { clock } = this;
    const { reason, ratePerSecond = null, canary: isCanary = null } = asked;
    requireCounted(await this.find(id, actor), asked);
    const audit = auditContextOf(actor, reason, clock);
    const started = await this.jobs.start({
      jobId: id,
      ratePerSecond,
      isCanary,
      audit,
      role: actingRole(actor),
    });
    if (started !== null) return this.showOne(started);
    const found = await this.find(id, actor);
    if (found.state === 'planned') requireRoleOf(found, actor);
    // It was never started: to say that it has begun would be wrong.
    if (found.startedAt === null) throw jobStandsOtherwise(found.state);
    const isSamePace = (ratePerSecond ?? found.ratePerSecond) === found.ratePerSecond;
    if (!isSamePace || (isCanary ?? found.isCanary) !== found.isCanary) throw startedOtherwise(found);
    return this.showOne(found);
  }

  /** @throws {ApiProblem} */
  async steer(
    id: string,
    steering: JobSteering,
    { actor, reason }: { readonly actor: Actor; readonly reason: string },
  ): Promise<JobView> {
    const { clock } = this;
    const job = await this.find(id, actor);
    const audit = auditContextOf(actor, reason, clock);
    const steered = await this.jobs.steer({ job, steering, audit, role: actingRole(actor) });
    if (steered === null) {
      const found = await this.find(id, actor);
      if (steering !== 'pause') requireRoleOf(found, actor);
      throw jobStandsOtherwise(found.state);
    }
    const view = await this.showOne(steered);
    if (steering === 'cancel') this.observer.jobItems('skipped', view.selection?.byState['skipped'] ?? 0);
    return view;
  }

  private async show(jobs: readonly Job[]): Promise<JobView[]> {
    const counts = await this.jobItems.count(jobs);
    return jobs.map((job) => toJobView(job, counts.get(job.jobId)));
  }

  async showOne(job: Job): Promise<JobView> {
    const [view] = await this.show([job]);
    if (view === undefined) throw noSuchJob();
    return view;
  }

  /** @throws {ApiProblem} where there is none, or none that they may know of */
  async find(id: string, actor: Actor): Promise<Job> {
    const job = await this.jobs.find(id);
    if (job === null || !mayKnowJob(job, actor.programs)) throw noSuchJob();
    return job;
  }
}

/** Asks for work. */
@Injectable()
export class JobRequests {
  constructor(
    private readonly orders: JobOrders,
    private readonly jobs: JobRepository,
    private readonly service: JobService,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiProblem} */
  async create(body: JobRequest, actor: Actor): Promise<JobView> {
    const { kind, id = randomUUID(), reason } = body;
    const { program = programOf(body, actor), ...order } = await this.orders.of(body, actor, this.clock.now());
    const asker = { audit: auditContextOf(actor, reason, this.clock), role: actingRole(actor) };
    return this.service.showOne(await this.make({ ...asker, jobId: id, kind, program, ...order }, actor));
  }

  private async make(job: NewJob, actor: Actor): Promise<Job> {
    try {
      return await this.jobs.create(job);
    } catch (error) {
      if (!(error instanceof JobIdTakenError)) throw error;
      const { known } = error;
      throw idTaken(known !== null && mayKnowJob(known, actor.programs) ? differences(known, job) : []);
    }
  }
}

/** What jobs have found. */
@Injectable()
export class JobLines {
  constructor(
    private readonly repository: JobRepository,
    private readonly jobs: JobService,
    private readonly exports: ExportLines,
  ) {}

  /** @returns text where that is wanted of an export @throws {ApiProblem} */
  async read(
    id: string,
    query: z.output<typeof jobLinesQuerySchema>,
    reader: LinesReader,
  ): Promise<JobLinesPage | string> {
    const job = await this.jobs.find(id, reader.actor);
    if (job.kind === 'export') return this.exports.read({ ...query, job }, reader);
    const { cursor = '0', limit } = query;
    if (!ordinal.test(cursor)) return refuseRequest('cursor: not one of ours');
    const lines = await this.repository.lines({ jobId: job.jobId, after: Number(cursor), limit });
    const last = lines.length < limit ? undefined : lines.at(-1);
    return {
      items: lines.map(({ data }) => ({ ...data })),
      nextCursor: last === undefined ? null : String(last.ordinal),
    };
  }
}

/** What came of the items of jobs. */
@Injectable()
export class JobItems {
  constructor(
    private readonly jobs: JobService,
    private readonly repository: JobItemRepository,
    private readonly requests: ItemRequests,
  ) {}

  /** @throws {ApiProblem} */
  async list(
    id: string,
    { state, cursor, limit, requests }: z.output<typeof jobItemsQuerySchema>,
    actor: Actor,
  ): Promise<JobItemsPage> {
    const job = await this.jobs.find(id, actor);
    const asked = { jobId: id, after: Number(cursor ?? 0), state: state ?? null, limit };
    const items = await this.repository.list(asked);
    const last = items.length < limit ? undefined : items.at(-1);
    const requestOf = requests ? await this.requests.of(items, job) : null;
    const views = items.map((item) => ({
      ...toItemView(item),
      ...requestOf?.(item),
    }));
    return { items: views, nextCursor: last === undefined ? null : String(last.ordinal) };
  }
}

/** @throws {ApiProblem} */
function programOf(body: JobRequest, { programs }: Actor): string | null {
  return programMeant(programs, 'program' in body ? body.program : undefined) ?? null;
}

type Asked = Pick<NewJob, 'kind' | 'program' | 'request'>;

/** What was asked for by its path, two levels deep, as it is stored. */
function asked({ kind, program, request }: Asked): Map<string, string> {
  const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;
  const parts = Object.entries(request).flatMap(([key, value]) =>
    isPart(value)
      ? Object.entries(value).map(([inner, of]) => [`${key}.${inner}`, of] as const)
      : [[key, value] as const],
  );
  return new Map(
    [...parts, ['kind', kind], ['program', program]].map(([path, value]) => [String(path), JSON.stringify(value)]),
  );
}

/** In what they differ, without values: they may be personal. */
function differences(known: Asked, other: Asked): string[] {
  const [here, there] = [asked(known), asked(other)];
  return [...new Set([...here.keys(), ...there.keys()])].filter((path) => here.get(path) !== there.get(path));
}

function noSuchJob(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-job', title: 'There is no such job' });
}

function jobStandsOtherwise(state: JobState): ApiProblem {
  const title = 'The job is in a state in which this cannot be done';
  return new ApiProblem({ status: 409, code: 'job-state', title, detail: `It is ${state}.` });
}

/** Who has it begun says how many it is of: what is about to be done was seen. @throws {ApiProblem} */
function requireCounted({ kind, selection }: Job, { items }: z.output<typeof jobStartSchema>): void {
  const isSeen = items === undefined ? !COUNTED_KINDS.includes(kind) : items === selection?.items;
  if (isSeen) return;
  const detail = items === undefined ? 'Say by `items` how many it is of.' : `It is of ${selection?.items ?? 0}.`;
  throw new ApiProblem({ status: 422, code: 'count-differs', title: 'How many it is of was not said', detail });
}

function startedOtherwise({ ratePerSecond, isCanary }: Job): ApiProblem {
  const title = 'The job was started at another pace';
  const detail = `ratePerSecond is ${ratePerSecond}, canary is ${isCanary}.`;
  return new ApiProblem({ status: 409, code: 'job-state', title, detail });
}

/** @param differing paths; none where who asks may not know of it */
function idTaken(differing: readonly string[]): ApiProblem {
  const what = differing.length === 0 ? '' : `: it differs in ${differing.join(', ')}`;
  const detail = `The id belongs to a job that was asked for otherwise${what}. Ask with an id of its own.`;
  return new ApiProblem({ status: 409, code: 'id-taken', title: 'The id is taken', detail });
}
