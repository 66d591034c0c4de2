import { Injectable } from '@nestjs/common';

import type { JobView, StreamEventName } from '#contracts';
import type { ListedAction } from '#intents';
import { actionsAfterMax, AuditRepository } from '#intents';

import type { ProgramLimit } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import { toAuditEntry } from '../audit/audit-service.js';
import { shownPauses } from '../pauses/pause-service.js';
import { isMoving, JobItemRepository } from '../jobs/job-items.js';
import { mayKnowJob } from '../jobs/job-order.js';
import type { Job } from '../jobs/job-repository.js';
import { JobRepository } from '../jobs/job-repository.js';
import { toJobView } from '../jobs/job-view.js';
import type { Stats, StatsService } from '../stats/stats-service.js';
import { toStatsView } from '../stats/stats-view.js';

/** What the stream sends. */
interface StreamEvent {
  readonly name: StreamEventName;
  readonly data: unknown;
  /** From where a viewer that comes back continues: the last action that was sent to it. */
  readonly id?: number;
}

/** The part of a change that a viewer who is limited to these programs is sent; null: nothing. */
export type Change = (limit: ProgramLimit) => StreamEvent | null;

/** What they are sent of all of it. */
export function changesText(changes: readonly Change[], limit: ProgramLimit): string {
  const events = changes.map((change) => change(limit));
  return events.map((event) => (event === null ? '' : eventText(event))).join('');
}

/** A line that keeps the connection open and means nothing. */
export const heartbeatText = ':\n\n';

/** As the format of Server-Sent Events has it; JSON holds no line breaks. */
export function eventText({ name, data, id }: StreamEvent): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The last event that a viewer has received; null where that is none of our ids. */
export function lastEventId(header: unknown): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

/** Ids are given out before their transactions end: one may appear after so many higher ones. */
const overlap = 100;

/** A viewer who comes back is told of what it has missed, as far as this reaches: the rest is in the audit. */
const sinceReadsMax = 4;

/** Follows what people do. */
class ActionTail {
  /** Sent, and not so long ago that they would not be read again. */
  private seen = new Set<number>();
  private lastId = 0;

  constructor(private readonly audits: AuditRepository) {}

  /** The highest id that was sent. */
  get last(): number {
    return this.lastId;
  }

  /** From now on: what was done before is not sent. */
  async begin(): Promise<void> {
    this.lastId = await this.audits.lastId();
    this.take(await this.after(this.lastId - overlap));
  }

  /** What has been done since, in the order of the ids; a great many come in several calls. */
  async next(): Promise<ListedAction[]> {
    const read = await this.after(this.lastId - overlap);
    const fresh = read.filter(({ actionId }) => !this.seen.has(actionId));
    this.take(read);
    return fresh;
  }

  /** What was done after an action that a viewer has seen, as far as the tail has come, and as they may know of it. */
  async since(actionId: number, limit: ProgramLimit): Promise<ListedAction[]> {
    const known: ListedAction[] = [];
    let after = actionId;
    for (let reads = 0; reads < sinceReadsMax && known.length < actionsAfterMax; reads += 1) {
      const read = (await this.after(after)).filter((action) => action.actionId <= this.lastId);
      known.push(...read.filter(({ ofProgram }) => maySee(limit, ofProgram)));
      if (read.length < actionsAfterMax) break;
      after = read.at(-1)?.actionId ?? this.lastId;
    }
    return known.slice(0, actionsAfterMax);
  }

  private async after(actionId: number): Promise<ListedAction[]> {
    return this.audits.listAfter(actionId);
  }

  private take(read: readonly ListedAction[]): void {
    this.seen = new Set(read.map(({ actionId }) => actionId));
    this.lastId = Math.max(this.lastId, read.at(-1)?.actionId ?? 0);
  }
}

interface Watched {
  readonly job: Job;
  readonly view: JobView;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Tells jobs that move. Of one that does not run any more, what was sent still comes to an end: then its counts are kept. */
export class JobWatch {
  private watched = new Map<string, Watched>();

  constructor(
    private readonly jobs: Pick<JobRepository, 'find'>,
    private readonly items: Pick<JobItemRepository, 'count'>,
  ) {}

  /** Those that run, or would continue if they were resumed, as they were last seen. */
  get open(): JobView[] {
    return [...this.watched.values()].map(({ view }) => view);
  }

  /**
   * Those that have moved since the last look, and those that have come to their end.
   * @param open the jobs that are not at their end now
   */
  async look(open: readonly Job[]): Promise<JobView[]> {
    const before = this.watched;
    const moving = open.filter((job) => isMoving(job) || !isSame(job, before.get(job.jobId)?.job));
    const seen = await this.view([...moving, ...(await this.ended(open))]);
    this.watched = new Map(
      open.flatMap(({ jobId }) => {
        const watched = seen.get(jobId) ?? before.get(jobId);
        return watched === undefined ? [] : [[jobId, watched] as const];
      }),
    );
    return [...seen.values()].map(({ view }) => view).filter((view) => !isSame(view, before.get(view.id)?.view));
  }

  /** How those stand now that were open at the last look. */
  private async ended(open: readonly Job[]): Promise<Job[]> {
    const ids = new Set(open.map(({ jobId }) => jobId));
    const gone = [...this.watched.keys()].filter((jobId) => !ids.has(jobId));
    const found = await Promise.all(gone.map((jobId) => this.jobs.find(jobId)));
    return found.filter((job) => job !== null);
  }

  private async view(jobs: readonly Job[]): Promise<Map<string, Watched>> {
    if (jobs.length === 0) return new Map();
    const counts = await this.items.count(jobs);
    return new Map(jobs.map((job) => [job.jobId, { job, view: toJobView(job, counts.get(job.jobId)) }]));
  }
}

function statsChange(stats: Stats, id?: number): Change {
  return (limit) => ({ name: 'stats', data: toStatsView(stats, limit), ...(id === undefined ? {} : { id }) });
}

function pauseChange({ overview }: Stats): Change {
  return (limit) => ({ name: 'pause', data: { items: shownPauses(overview.pauses, limit) } });
}

function actionChange(action: ListedAction): Change {
  const event = { name: 'action', data: toAuditEntry(action), id: action.actionId } as const;
  return (limit) => (maySee(limit, action.ofProgram) ? event : null);
}

function jobChange(data: JobView): Change {
  return (limit) => (mayKnowJob(data, limit) ? { name: 'job', data } : null);
}

/** The repositories that are polled for changes. */
@Injectable()
export class ChangeSources {
  constructor(
    readonly audits: AuditRepository,
    readonly jobs: JobRepository,
    readonly items: JobItemRepository,
  ) {}
}

/** Looks at what has changed, once for all who watch. */
export class LiveChanges {
  private readonly actions: ActionTail;
  private readonly jobs: JobWatch;
  private pauses = '';

  constructor(
    { audits, jobs, items }: ChangeSources,
    private readonly board: Pick<StatsService, 'current'>,
  ) {
    this.actions = new ActionTail(audits);
    this.jobs = new JobWatch(jobs, items);
  }

  /** Changes are sent from now on. @throws {DatabaseError} */
  async begin(): Promise<void> {
    await this.actions.begin();
    await this.next();
  }

  /** The state of everything, for a new viewer, and what was done since they left. @throws {DatabaseError} */
  async snapshot(lastId: number | null, limit: ProgramLimit): Promise<string> {
    const stats = await this.board.current();
    const missed = lastId === null ? [] : await this.actions.since(lastId, limit);
    const first = lastId === null ? statsChange(stats, this.actions.last) : statsChange(stats);
    const jobs = this.jobs.open.map(jobChange);
    return changesText([first, pauseChange(stats), ...jobs, ...missed.map(actionChange)], limit);
  }

  /** How things stand, and what has changed since the last look. @throws {DatabaseError} */
  async next(): Promise<Change[]> {
    const stats = await this.board.current();
    const actions = await this.actions.next();
    const jobs = await this.jobs.look(stats.overview.jobs);
    const pauses = JSON.stringify(stats.overview.pauses);
    const isPauseNew = pauses !== this.pauses;
    this.pauses = pauses;
    return [
      statsChange(stats),
      ...(isPauseNew ? [pauseChange(stats)] : []),
      ...jobs.map(jobChange),
      ...actions.map(actionChange),
    ];
  }
}
