import { hash } from 'node:crypto';

import type { IntentEvent } from '#intents/core';
import type { IngestKeys, LaneStep } from '#intents';
import { claimLanes, MemberKeys, recordBatch, recordSteps, startOffset } from '#intents';
import type { SqlParameter } from '#platform';
import { createDataSource, Keyring, SystemClock, SystemRandom, TypeormDatabase } from '#platform';

import type { JobWork } from '../jobs/job-runner.js';
import { JobItemRepository } from '../jobs/job-items.js';
import { pacedTurn } from '../jobs/job-runner.js';
import type { Job, JobKindName } from '../jobs/job-repository.js';
import { JobRepository } from '../jobs/job-repository.js';
import type { Sample } from './sample-records.js';
import { personalOf, program, recordedAt } from './sample-records.js';

const source = { clusterId: 'c1', topic: 'loyalty.members', incarnation: 1, partition: 0 };
const owner = '00000000-0000-4000-8000-000000000001';
const leaseMs = 60_000;

/** A clock whose `now` stands where it is put. */
class SettableClock extends SystemClock {
  constructor(public at: number) {
    super();
  }

  override now(): number {
    return this.at;
  }

  /** What is kept for as long as it took to make is kept by no test for longer on a slower machine. */
  override monotonic(): number {
    return this.at;
  }
}

interface JobOrdered {
  readonly jobId: string;
  readonly kind: JobKindName;
  readonly program?: string | null;
  readonly request: Readonly<Record<string, unknown>>;
}

/** How long a job is waited for, on the real clock. */
const finishMsMax = 60_000;

/** A database with everything that jobs need, filled as ingest and delivery fill it. */
export class JobFixture {
  readonly random = new SystemRandom();
  readonly keyring = new Keyring([this.random.bytes(32)]);
  readonly clock = new SettableClock(recordedAt + leaseMs);
  readonly quarantineKey = this.random.bytes(32);
  readonly topics = { members: 'm', purchases: 'p', rewards: 'r', outcomes: 'o', audit: 'a', deadLetter: 'd' };
  private readonly mac = this.random.bytes(32);
  private nextOffset = 0;

  private constructor(
    readonly database: TypeormDatabase,
    readonly close: () => Promise<void>,
  ) {}

  static async open(url: string): Promise<JobFixture> {
    const connection = { url, poolSize: 5, ssl: false, applicationName: 'operations-spec' } as const;
    const dataSource = createDataSource({ ...connection, migrations: [], onPoolError: () => undefined });
    await dataSource.initialize();
    const fixture = new JobFixture(new TypeormDatabase(dataSource), () => dataSource.destroy());
    await startOffset(fixture.database, source, 0);
    return fixture;
  }

  /** Keys as one process holds them. */
  get keys(): MemberKeys {
    return new MemberKeys(this.keyring, this.random);
  }

  /** The same, with those of the installation. */
  get ingestKeys(): IngestKeys {
    const { keys: members, mac, quarantineKey: quarantine, random } = this;
    return { members, mac, quarantine, random };
  }

  async sql<Row extends object>(text: string, ...parameters: readonly SqlParameter[]): Promise<Row[]> {
    const name = hash('sha256', text).slice(0, 32);
    return (await this.database.execute<Row>({ name, text }, parameters)).rows;
  }

  /** As one batch, recorded at `at`. */
  async record(samples: readonly Sample[], at: number = recordedAt): Promise<void> {
    const fromOffset = this.nextOffset;
    const records = samples.map(({ original, ...sample }, index) => ({
      original: { ...original, offset: fromOffset + index },
      ...sample,
    }));
    this.nextOffset += records.length;
    const programsHash = Buffer.alloc(16, 1);
    const batch = { source, records, fromOffset, nextOffset: this.nextOffset, now: at, programsHash };
    await recordBatch(this.database, batch, this.ingestKeys);
  }

  /** Everything that is due is sent once, with evidence; `refuses`: whose attempts are refused. */
  async deliverDue(refuses: (memberId: string) => boolean = () => false): Promise<number> {
    return this.endDue((memberId, at) => ({
      evidence: { request: { body: JSON.stringify({ firstName: personalOf(memberId) }) } },
      events: refuses(memberId)
        ? [
            { type: 'AttemptRejected', at, attempt: 1, code: 'refused' },
            { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' },
          ]
        : [{ type: 'AttemptApplied', at, attempt: 1 }],
    }));
  }

  /** Everything that is due is sent once, and ends as `endOf` says. */
  async endDue(
    endOf: (memberId: string, at: number) => { readonly evidence: object; readonly events: readonly IntentEvent[] },
  ): Promise<number> {
    const now = recordedAt + 1;
    const claim = { program, now, leaseUntil: now + leaseMs, owner, limit: 256, floors: [null, null, null] } as const;
    const { lanes } = await claimLanes(this.database, claim, this.keys);
    for (const lane of lanes) {
      const seq = lane.cursor.current;
      const { key, laneId, epoch, revision, memberId } = lane;
      const step = { key, laneId, epoch, revision, seq, carriesAnswer: false, completion: null } as const;
      const begin = { seq, attempt: 1, before: null, leaseUntil: now + leaseMs, sendBy: now };
      await this.step({ ...step, attempt: 0, attemptOpen: false, begin });
      const ended = endOf(memberId, now);
      const evidence = JSON.stringify(ended.evidence);
      const events = ended.events.map((event, index) => ({ seq, event, evidence: index === 0 ? evidence : null }));
      const isBlocking = ended.events.some((event) => event.type === 'IntentParked' && event.lane === 'block');
      const completion = { kind: isBlocking ? 'block' : 'settle', dueAt: 0, pass: null, events } as const;
      await this.step({ ...step, attempt: 1, attemptOpen: true, carriesAnswer: true, completion, begin: null });
    }
    return lanes.length;
  }

  async order({ program: of = program, ...job }: JobOrdered): Promise<void> {
    const audit = { at: this.clock.at, actor: 'ada', address: null, reason: 'asked by letter' };
    await new JobRepository(this.database).create({ ...job, program: of, audit });
  }

  /** Makes a turn of the job that is due; false: none is. */
  async turn(work: JobWork): Promise<boolean> {
    const [job] = await new JobRepository(this.database).lease({ owner, kinds: [work.kind], now: this.clock.at });
    if (job === undefined) return false;
    const turn = await pacedTurn(work, job, Infinity, { items: new JobItemRepository(this.database) });
    await new JobRepository(this.database).save({ jobId: job.jobId, owner, now: this.clock.at, turn });
    return true;
  }

  /**
   * Turns, until the job is at its end. Time passes in between. An export waits for every transaction of the server that is
   * older than it is, those of other tests included: how many turns that takes, they decide.
   */
  async finish(work: JobWork, jobId: string, turnsMax = 1_000): Promise<Job> {
    const giveUpAt = performance.now() + finishMsMax;
    for (let turns = 0; turns < turnsMax || performance.now() < giveUpAt; turns += 1) {
      const job = await new JobRepository(this.database).find(jobId);
      if (job?.state === 'done') return job;
      if (!(await this.turn(work))) this.clock.at += 1_000;
    }
    throw new Error('the job never ends');
  }

  private async step(step: LaneStep): Promise<void> {
    const [result] = await recordSteps(
      this.database,
      { steps: [step], now: recordedAt + 1, isRetry: false },
      { members: this.keys, mac: this.mac },
    );
    if (result === undefined || !(result.begun || result.completed)) throw new Error('a step was refused');
  }
}
