import type { Program } from '#contracts';
import { parseProgramsFile } from '#contracts';
import type { IntentEvent, IssueCommand, PassContent } from '#intents/core';
import { GatewayError } from '#gateway';
import type { ClaimedLane, IngestKeys, LaneStep, PreparedRecord } from '#intents';
import { claimLanes, MemberKeys, recordBatch, recordSteps, startOffset } from '#intents';
import type { CancelTimer, Clock, SqlParameter } from '#platform';
import { createDataSource, Keyring, SystemRandom, TypeormDatabase } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import type { JobWork } from '../jobs/job-runner.js';
import { JobItemRepository } from '../jobs/job-items.js';
import { pacedTurn } from '../jobs/job-runner.js';
import type { Job, JobPace } from '../jobs/job-repository.js';
import { JobRepository } from '../jobs/job-repository.js';
import type { PartnerReaderOptions } from '../partner-reading/partner-reader.js';
import { ScriptedListings } from './scripted-listings.js';

/** A clock that moves only while a test sleeps. */
class SteppedClock implements Clock {
  constructor(private at: number) {}

  now(): number {
    return this.at;
  }

  monotonic(): number {
    return this.at;
  }

  after(): CancelTimer {
    throw new Error('nobody sets timers here');
  }

  soon(task: () => void): void {
    task();
  }

  sleep(delayMs: number): Promise<void> {
    this.at += delayMs;
    return Promise.resolve();
  }

  moveTo(at: number): void {
    this.at = Math.max(this.at, at);
  }
}

interface Enrolment {
  readonly program: string;
  readonly memberId: string;
  readonly content: PassContent;
  readonly offset: number;
  readonly now: number;
}

/** An enrolment as it comes out of decoding and routing. */
function enrolmentRecord({ program, memberId, content, offset, now }: Enrolment): PreparedRecord {
  const reference = { brandId: '101', programId: '2001', uniqueId: memberId, uniqueIdKey: 'memberId' };
  const command: IssueCommand = { ...reference, operation: 'issue', content };
  const businessKey = { scope: 'enrolment', parts: [memberId], perGeneration: true } as const;
  const intent = { program, memberId, operation: 'issue', command, businessKey, businessContent: '' } as const;
  return {
    original: { offset, brokerAt: now, key: null, value: null, headersText: '{}' },
    verdict: {
      kind: 'routed',
      eventType: 'loyalty.member.enrolled.v1',
      eventSource: '/crm',
      occurredAt: now,
      eventKeyText: `${offset}`,
      eventContentText: `${offset}`,
      intents: [{ ...intent, waitsFor: null, parked: null, facts: {} }],
      cancels: [],
      memberEffects: null,
      enrolmentAsUpdate: null,
      profilePosition: null,
    },
  };
}

export const program = 'coffee-club';
const startedAt = Date.parse('2026-11-21T09:00:00.000Z');
const audit = { at: startedAt, actor: 'ada', address: null, reason: 'the partner was there before us' };

const programsText = `
programs:
  ${program}:
    brandId: "101"
    programId: "2001"
    currency: EUR
    uniqueIdKey: memberId
    enrolment: { via: issue }
    templateId: 11
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed: { transactionTypeId: "31" }
    inFlightMs: 2000
`;

/** A real database, a scripted partner, and jobs that are carried on turn by turn, on a clock that stands. */
export class ReadingFixture {
  readonly clock = new SteppedClock(startedAt);
  readonly partner: ScriptedListings;
  readonly warnings: unknown[] = [];
  /** Aborted when the process is to stop. */
  private readonly random = new SystemRandom();
  private nextOffset = 0;
  private changes: Partial<Program> = {};

  private constructor(
    private readonly source: ReturnType<typeof createDataSource>,
    readonly database: TypeormDatabase,
    private readonly keys: IngestKeys,
    private readonly test: TestDatabase,
  ) {
    this.partner = new ScriptedListings(this.clock, 3, (failure) => new GatewayError(failure));
  }

  static async open(): Promise<ReadingFixture> {
    const onPoolError = (): void => undefined;
    const test = await testDatabase();
    const named = { url: test.url, applicationName: 'operations-spec' };
    const source = createDataSource({ ...named, poolSize: 4, ssl: false, migrations: [], onPoolError });
    await source.initialize();
    const random = new SystemRandom();
    const members = new MemberKeys(new Keyring([random.bytes(32)]), random);
    const keys = { members, mac: random.bytes(32), quarantine: random.bytes(32), random };
    return new ReadingFixture(source, new TypeormDatabase(source), keys, test);
  }

  async close(): Promise<void> {
    await this.source.destroy();
    await this.test.dispose();
  }

  /** `limits.requestsPerSecond` of the program. */
  limit(requestsPerSecond: number): void {
    this.changes = { ...this.changes, limits: { requestsPerSecond, concurrency: null, replayShare: 0.2 } };
  }

  /** The programs file names another place at the partner from now on. */
  moveTo(place: Partial<Pick<Program, 'brandId' | 'programId' | 'lookup'>>): void {
    this.changes = { ...this.changes, ...place };
  }

  /** What a process has. */
  get tools(): Omit<PartnerReaderOptions, 'stopping'> {
    const { clock, random, database, partner } = this;
    const warn = (fields: object): void => void this.warnings.push(fields);
    const logger = { warn } as unknown as PartnerReaderOptions['logger'];
    const { members: keys, mac } = this.keys;
    return { clock, random, database, partner, logger, keys, mac, programs: () => this.programs() };
  }

  async job(jobId: string, kind: Job['kind'], request: Job['request'] = {}, pace?: JobPace): Promise<Job> {
    const asked = { jobId, kind, program, request, audit: { ...audit, at: this.clock.now() } };
    return new JobRepository(this.database).create(pace === undefined ? asked : { ...asked, pace });
  }

  /**
   * Makes one turn, as a process does.
   * @returns null where the job may not be carried on now
   */
  async turn(work: JobWork, jobId: string, isKept = true): Promise<Job | null> {
    const { database, clock } = this;
    const owner = '00000000-0000-4000-8000-000000000001';
    const jobs = await new JobRepository(database).lease({ owner, kinds: [work.kind], now: clock.now() });
    const job = jobs.find((each) => each.jobId === jobId);
    if (job === undefined) return null;
    const turn = await pacedTurn(work, job, Infinity, { items: new JobItemRepository(this.database) });
    if (isKept) await new JobRepository(database).save({ jobId, owner, now: clock.now(), turn });
    return new JobRepository(database).find(jobId);
  }

  /** Carries a job on to its end; the time in which it rests is passed over. */
  async run(work: JobWork, jobId: string): Promise<Job> {
    for (let turns = 0; turns < 500; turns += 1) {
      const job = await this.turn(work, jobId);
      if (job?.state === 'done') return job;
      if (job === null) this.clock.moveTo(this.clock.now() + 1_000);
    }
    throw new Error('the job does not come to an end');
  }

  async lines(jobId: string): Promise<object[]> {
    const lines = await new JobRepository(this.database).lines({ jobId, after: 0, limit: 100 });
    return lines.map(({ data }) => data);
  }

  /** Enrolments, recorded and not yet delivered. */
  async enrol(...members: readonly (readonly [memberId: string, content?: PassContent])[]): Promise<void> {
    const source = { clusterId: 'c1', topic: 'loyalty.members', incarnation: 1, partition: 0 };
    if (this.nextOffset === 0) await startOffset(this.database, source, 0);
    const fromOffset = this.nextOffset;
    const now = this.clock.now();
    const records = members.map(([memberId, content = {}], index) =>
      enrolmentRecord({ program, memberId, content, offset: fromOffset + index, now }),
    );
    this.nextOffset += records.length;
    const batch = { source, records, fromOffset, nextOffset: this.nextOffset, now, programsHash: Buffer.alloc(16) };
    await recordBatch(this.database, batch, this.keys);
  }

  /** Sends everything that is due: each answer shows the pass that the partner lists, or refuses it. */
  async deliver(isRefused = false): Promise<void> {
    const owner = '00000000-0000-4000-8000-000000000009';
    const now = this.clock.now();
    const request = { program, now, leaseUntil: now + 60_000, owner, limit: 64, floors: [null, null, null] } as const;
    const { lanes } = await claimLanes(this.database, request, this.keys.members);
    for (const lane of lanes) await this.deliverOne(lane, isRefused);
  }

  async sql<Row extends object>(text: string, ...parameters: readonly SqlParameter[]): Promise<Row[]> {
    const { rows } = await this.database.execute<Row>({ name: `spec ${text}`.slice(0, 60), text }, parameters);
    return rows;
  }

  private programs(): ReturnType<PartnerReaderOptions['programs']> {
    const parsed = parseProgramsFile(programsText);
    if (!parsed.ok) throw new Error(parsed.errors.join(', '));
    const [own] = Object.values(parsed.value.programs);
    if (own === undefined) throw new Error('no program');
    return { ...parsed.value, programs: { [program]: { ...own, ...this.changes } } };
  }

  private async deliverOne(lane: ClaimedLane, isRefused: boolean): Promise<void> {
    const { laneId, epoch, revision, key, cursor, memberId } = lane;
    const now = this.clock.now();
    const attempts = lane.intents.get(cursor.current)?.state;
    const attempt = (attempts !== undefined && attempts.status !== 'absent' ? attempts.attempts : 0) + 1;
    const step = { key, laneId, epoch, seq: cursor.current, revision };
    const begin = { seq: cursor.current, attempt, before: null, leaseUntil: now + 60_000, sendBy: now };
    await this.record({
      ...step,
      attempt: lane.attempt,
      attemptOpen: false,
      completion: null,
      carriesAnswer: false,
      begin,
    });
    const shown = this.partner.passes.find((pass) => pass.passdata?.metaData?.['memberId'] === memberId);
    const evidence = shown === undefined ? null : JSON.stringify({ response: { body: JSON.stringify(shown) } });
    const told: readonly IntentEvent[] = isRefused
      ? [
          { type: 'AttemptRejected', at: now, attempt, code: 'refused' },
          { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
        ]
      : [{ type: 'AttemptApplied', at: now, attempt }];
    const events = told.map((event, index) => ({
      seq: cursor.current,
      event,
      evidence: index === 0 ? evidence : null,
    }));
    const completion = { kind: 'settle', dueAt: 0, pass: isRefused ? null : 'known', events } as const;
    await this.record({ ...step, attempt, attemptOpen: true, completion, carriesAnswer: true, begin: null });
  }

  private async record(step: LaneStep): Promise<void> {
    const request = { steps: [step], now: this.clock.now(), isRetry: false };
    const [result] = await recordSteps(this.database, request, this.keys);
    if (result === undefined || !(result.begun || result.completed)) throw new Error('a step was refused');
  }
}
