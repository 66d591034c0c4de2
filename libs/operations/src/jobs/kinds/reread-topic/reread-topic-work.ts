import { Injectable } from '@nestjs/common';

import { REREAD_TOPIC_RATE } from '#contracts';
import type { PreparedRecord, ReadAgainRecord } from '#intents';
import { describeFailure, NotIngestedError, TopicAnewError } from '#intents';
import type { SqlSession } from '#platform';
import { Clock, SafeError, sleepUnlessAborted } from '#platform';

import { OperationsObserver } from '../../../access/operations-observer.js';
import { JobFailedError, JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';
import { keepProgress } from '../../job-repository.js';
import { countRead } from './count-read.js';
import type { RereadCursor } from './parts-to-read.js';
import { movedTo, openParts, partsToRead } from './parts-to-read.js';
import { RereadTopicRepository } from './reread-topic-repository.js';
import type { ReadPart } from './topic-reader.js';
import { TopicReader } from './topic-reader.js';

/** A turn ends after so long, or before a pause that would last longer. */
const turnMsMax = 20_000;
/** A process that is gone loses the job after so long: brokers that are silent are waited for within a turn. */
export const rereadTopicLeaseMs = 180_000;

/** As it was asked for. */
export interface RereadTopicRequest {
  readonly topic?: string;
  readonly source?: string;
  readonly from: string | Readonly<Record<string, number>>;
  readonly dryRun: boolean;
}

/** Undoes what was recorded: the job was stopped meanwhile, or another process carries it on. */
class NotOursError extends SafeError {
  override readonly name = 'NotOursError';
}

/** No record is to blame. */
const isOfTheWalk = (error: unknown): boolean =>
  [NotOursError, NotIngestedError, TopicAnewError].some((kind) => error instanceof kind);

/** How far a job has come in this turn. */
interface Walk {
  readonly job: Job;
  readonly isDryRun: boolean;
  cursor: RereadCursor;
  progress: Readonly<Record<string, number>>;
}

const requestOf = ({ request }: Job): RereadTopicRequest => request as unknown as RereadTopicRequest;

/**
 * Reads topics once more from a time or an offset, up to where ingest is when it begins: what was missed is recorded as ingest
 * would record it, what is known is counted, what maps otherwise now is listed. Where it stands is written with what was
 * recorded, so that a process which is killed loses and repeats nothing.
 */
@Injectable()
export class RereadTopicWork extends JobWork {
  override readonly kind = 'reread-topic';
  override readonly leaseMs = rereadTopicLeaseMs;
  private stopping = new AbortController();

  constructor(
    private readonly records: RereadTopicRepository,
    private readonly reader: TopicReader,
    private readonly clock: Clock,
    private readonly observer: OperationsObserver,
  ) {
    super();
  }

  override stop(): void {
    this.stopping.abort();
  }

  async turn(job: Job): Promise<JobTurn> {
    const cursor = job.cursor as RereadCursor | null;
    if (cursor === null) return this.begin(job);
    const left = openParts(cursor);
    if (left.length === 0) return done(job, cursor);
    for (const { topic } of left) this.requireSource(topic);
    const walk: Walk = { job, isDryRun: requestOf(job).dryRun, cursor, progress: job.progress };
    try {
      return { isDone: false, againAt: await this.walk(walk) };
    } catch (error) {
      // Whoever carries it on knows where it stands.
      if (error instanceof NotOursError) return { isDone: false };
      if (error instanceof TopicAnewError) throw new JobFailedError(error.message);
      throw error;
    }
  }

  /** What is to be read is said once: up to where ingest is by now. */
  private async begin(job: Job): Promise<JobTurn> {
    const { from } = requestOf(job);
    const topics = await this.topicsOf(job);
    const at = typeof from === 'string' ? Date.parse(from) : null;
    const knownSince = this.reader.rules.knownSince(this.clock.now());
    const { clusterId, partitions: brokers } = await this.reader.look(topics, { at, knownSince });
    const missing = topics.filter((topic) => !brokers.some((found) => found.topic === topic));
    if (missing.length > 0) throw new JobFailedError(`the brokers have no topic ${missing.join(', ')}`);
    const ingested = await this.records.ingested({ clusterId, topics });
    const planned = partsToRead({ brokers, ingested, offsets: typeof from === 'string' ? null : from });
    if (planned.kind === 'refused') throw new JobFailedError(planned.why);
    const { parts } = planned;
    const total = parts.reduce((sum, { next, end }) => sum + end - next, 0);
    const cursor: RereadCursor = { clusterId, parts };
    return { cursor, progress: { offsets: total, offsetsRead: 0 }, isDone: false };
  }

  /** @throws {JobFailedError} */
  private async topicsOf(job: Job): Promise<readonly string[]> {
    const { topic, source } = requestOf(job);
    if (topic !== undefined) {
      this.requireSource(topic);
      return [topic];
    }
    // Also those that a pattern matches: what ingest has seen.
    const own = (await this.records.topicsSeen()).filter((name) => this.reader.rules.sourceOf(name) === source);
    if (own.length === 0) throw new JobFailedError(`ingest has read no topic of the source ${source ?? ''}`);
    return own;
  }

  /** @throws {JobFailedError} */
  private requireSource(topic: string): void {
    if (this.reader.rules.sourceOf(topic) !== null) return;
    throw new JobFailedError(`no source of the programs file in force reads ${topic}`);
  }

  /** @returns when it is to be continued, epoch ms */
  private async walk(walk: Walk): Promise<number> {
    const { clock } = this;
    const { signal } = this.stopping;
    const beganAt = clock.monotonic();
    const rate = walk.job.ratePerSecond ?? REREAD_TOPIC_RATE;
    for await (const part of this.reader.read(openParts(walk.cursor), signal)) {
      const tookFrom = clock.monotonic();
      await this.take(walk, part);
      const pauseMs = pauseAfter(part, { tookMs: clock.monotonic() - tookFrom, rate });
      if (clock.monotonic() - beganAt + pauseMs > turnMsMax) return clock.now() + pauseMs;
      await sleepUnlessAborted(clock, pauseMs, signal);
      if (signal.aborted) return clock.now();
    }
    if (!signal.aborted) await this.finish(walk);
    return clock.now();
  }

  /**
   * Records what was missed of a part. What the database refuses for its content is taken apart, and the one record that it
   * refuses is set aside, as ingest does.
   */
  private async take(walk: Walk, part: ReadPart): Promise<void> {
    try {
      await this.record(walk, part);
    } catch (error) {
      const { cause, failure } = describeFailure(error);
      if (isOfTheWalk(error) || cause !== 'content') throw error;
      const halves = halved(part);
      if (halves === null) await this.record(walk, asPoison(part, failure));
      else for (const half of halves) await this.take(walk, half);
    }
  }

  private async record(walk: Walk, part: ReadPart): Promise<void> {
    const { isDryRun } = walk;
    const { topic, partition, records, nextOffset, programsHash } = part;
    const planned = walk.cursor.parts.find((one) => one.topic === topic && one.partition === partition);
    if (planned === undefined || nextOffset <= planned.next) return;
    const source = { clusterId: walk.cursor.clusterId, topic, incarnation: planned.incarnation, partition };
    const now = this.clock.now();
    const { hasDeadLetters, rules } = this.reader;
    const knownSince = rules.knownSince(now);
    const { kept, hasRecorded } = await this.records.record(
      { source, records, nextOffset, programsHash, now, isDryRun, hasDeadLetters, knownSince },
      (session, read) => keepRead(session, walk, { ...part, read }),
    );
    Object.assign(walk, kept);
    if (hasRecorded) this.observer.written();
  }

  /** What is left holds no record: what was taken back by a transaction, or compacted. */
  private async finish(walk: Walk): Promise<void> {
    const rest = openParts(walk.cursor);
    if (rest.length === 0) return;
    const cursor = rest.reduce(
      (before, { topic, partition, end }) => movedTo(before, { topic, partition, nextOffset: end }),
      walk.cursor,
    );
    const { progress } = walk;
    await this.records.keep((session) => keep(session, walk, { cursor, progress, lines: [] }));
  }
}

function done({ progress, request }: Job, { parts }: RereadCursor): JobTurn {
  const read = parts.map(({ topic, partition, from, end }) => ({ topic, partition, from, until: end }));
  return { progress, report: { dryRun: request['dryRun'], ...progress, parts: read }, isDone: true };
}

/** Live ingest has as much time as this takes, and goes at its rate at most. */
function pauseAfter(
  { records }: ReadPart,
  { tookMs, rate }: { readonly tookMs: number; readonly rate: number },
): number {
  const originals = new Set(records.map(({ original }) => original)).size;
  return Math.ceil(Math.max(tookMs, (originals / rate) * 1_000 - tookMs));
}

async function keepRead(
  session: SqlSession,
  walk: Walk,
  part: ReadPart & { readonly read: readonly ReadAgainRecord[] },
): Promise<Walk> {
  const { topic, partition, read } = part;
  const { isDryRun, progress: before } = walk;
  const cursor = movedTo(walk.cursor, part);
  const { progress, lines } = countRead(before, { topic, partition, read, isDryRun });
  return keep(session, walk, { cursor, progress, lines });
}

type Kept = Pick<Walk, 'cursor' | 'progress'> & Pick<ReturnType<typeof countRead>, 'lines'>;

/** @throws {NotOursError} */
async function keep(session: SqlSession, walk: Walk, { cursor, progress: counted, lines }: Kept): Promise<Walk> {
  const offsetsRead = cursor.parts.reduce((sum, { from, next }) => sum + next - from, 0);
  const progress = { ...counted, offsetsRead };
  const { jobId } = walk.job;
  const isOurs = await keepProgress(session, { jobId, before: walk.cursor, cursor, progress, lines });
  if (!isOurs) throw new NotOursError('the job was stopped meanwhile, or is carried on elsewhere');
  return { ...walk, cursor, progress };
}

const firstOffset = ({ original }: PreparedRecord): number => original.batch?.firstOffset ?? original.offset;

/** Null: it is one record. */
function halved(part: ReadPart): readonly [ReadPart, ReadPart] | null {
  const originals = [...Map.groupBy(part.records, ({ original }) => original).values()];
  if (originals.length < 2) return null;
  const middle = Math.ceil(originals.length / 2);
  const [first, second] = [originals.slice(0, middle).flat(), originals.slice(middle).flat()];
  const [next] = second;
  const nextOffset = next === undefined ? part.nextOffset : firstOffset(next);
  return [
    { ...part, records: first, nextOffset },
    { ...part, records: second },
  ];
}

function asPoison(part: ReadPart, detail: string): ReadPart {
  const verdict = { kind: 'quarantine', reason: 'invalid', detail } as const;
  return { ...part, records: part.records.slice(0, 1).map(({ event: _event, ...record }) => ({ ...record, verdict })) };
}
