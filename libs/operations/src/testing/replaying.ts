import { IntentActionRepository } from '#intents';
import type { IntentEvent } from '#intents/core';
import type { ActingRole, LaneCompletion } from '#intents';
import type { Lease, TestStore } from '#intents/testing';
import { applied, begin, claim, completion, leaseOf, now, purchase, record, stepOf, Till } from '#intents/testing';
import { SystemClock } from '#platform';

import { PlannedActions } from '../intents/planned-actions.js';
import { pacedTurn } from '../jobs/job-runner.js';
import type { Job, JobPace, JobTurn } from '../jobs/job-repository.js';
import { JobRepository } from '../jobs/job-repository.js';
import { JobItemRepository } from '../jobs/job-items.js';
import type { ReplayFilter } from '../jobs/kinds/replay/replay-items.js';
import { freezeReplay } from '../jobs/kinds/replay/replay-items.js';
import { itemLeaseMs } from '../jobs/item-work.js';
import { ReplayWork } from '../jobs/kinds/replay/replay-work.js';
import { plannerOf } from '../requests/planned-commands.js';
import { noPrograms } from './ports.js';

/** Later than all that was recorded. */
export const far = now + 3_600_000;
export const owners = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
export const audit = { at: far, actor: 'ada', address: '10.0.0.1', reason: 'the cause is mended' };

/** `blocked`: refused, and its member's lane goes no further. */
export type Ending = 'delivered' | 'refused' | 'in doubt' | 'answered yes' | 'blocked';

const rejected: IntentEvent = {
  type: 'AttemptRejected',
  at: now,
  attempt: 1,
  code: 'refused',
  fingerprint: 'f'.repeat(32),
};
const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
const doubts: Partial<Record<Ending, IntentEvent>> = {
  'in doubt': lost,
  'answered yes': { ...lost, code: 'unproven-200' },
};

function completionOf(lease: Lease, how: Ending): LaneCompletion {
  if (how === 'delivered') return applied(lease);
  const doubt = doubts[how];
  const reason = doubt === undefined ? 'rejected' : 'unknown-outcome';
  const parked: IntentEvent = { type: 'IntentParked', at: now, reason, lane: how === 'blocked' ? 'block' : 'continue' };
  const why = { ...(doubt ?? rejected), attempt: lease.attempt } as IntentEvent;
  return completion(lease, how === 'blocked' ? 'block' : 'settle', { events: [why, parked] });
}

interface ReplayAsked extends JobPace {
  readonly jobId: string;
  readonly query: ReplayFilter;
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly role: ActingRole;
}

/** How long a running replay is left alone, at most. */
const turnMs = 250;

/** Replays as processes carry them on, turn by turn, and deliveries in between. */
export class Replaying {
  /** Stands where `at` is put. */
  at = far;
  readonly clock: SystemClock = Object.assign(new SystemClock(), { now: () => this.at });
  readonly till: Till;
  /** Items that have come to an end. */
  readonly ends: string[] = [];

  constructor(private readonly store: TestStore) {
    this.till = new Till(store);
  }

  private readonly onJobItems = (state: string, count: number): void => {
    this.ends.push(`${state} ${count}`);
  };

  /** What the runner of jobs is given. */
  get tools(): {
    readonly items: JobItemRepository;
    readonly jobs: JobRepository;
    readonly clock: SystemClock;
    readonly onJobItems: (state: string, count: number) => void;
  } {
    const { database } = this.store;
    const [items, jobs] = [new JobItemRepository(database), new JobRepository(database)];
    return { items, jobs, clock: this.clock, onJobItems: this.onJobItems };
  }

  private get work(): ReplayWork {
    const { database, keys } = this.store;
    const observer = { written: () => undefined, jobItems: this.onJobItems };
    const actions = new PlannedActions(new IntentActionRepository(database, keys.members), noPrograms);
    return new ReplayWork(database, this.clock, observer, actions);
  }

  /** Every lane that is due, or so many of them, is tried once; its attempt ends so. */
  async tryAll(ending: (memberId: string) => Ending, limit = 64): Promise<number> {
    const lanes = await claim(this.store, { now: this.at + 1, limit });
    for (const lane of lanes) {
      const state = lane.intents.get(lane.cursor.current)?.state;
      const attempts = state === undefined || state.status === 'absent' ? 0 : state.attempts;
      const lease = await begin(this.store, leaseOf(lane), attempts + 1);
      await record(this.store, stepOf(lease, { completion: completionOf(lease, ending(lane.memberId)) }));
    }
    return lanes.length;
  }

  /** So many members with one purchase each, every one of them parked. */
  async withParked(count: number, ending: (memberId: string) => Ending = () => 'refused'): Promise<void> {
    await this.till.record(...Array.from({ length: count }, (_, index) => purchase(`p${index}`, `m${index}`)));
    await this.tryAll(ending);
  }

  /** @throws {NotFrozenError} */
  async create(change: Partial<ReplayAsked> = {}): Promise<Job> {
    const asked = { jobId: 'r1', query: {}, ratePerSecond: 100, isCanary: false, ...change };
    const { jobId, query, ratePerSecond, isCanary, isForced = false, isDryRun = false, role } = asked;
    return new JobRepository(this.store.database).create({
      ...{ jobId, kind: 'replay', program: null, request: { query: { ...query }, force: isForced }, audit },
      ...{ pace: { ratePerSecond, isCanary }, isPlan: isDryRun, ...(role === undefined ? {} : { role }) },
      freeze: (session) =>
        freezeReplay(session, { jobId, query }, { planner: plannerOf(noPrograms), keys: this.store.keys.members }),
    });
  }

  /** Takes the replay that has waited longest, once its next turn is due. */
  async lease(owner: string = owners[0]): Promise<Job | undefined> {
    this.at += turnMs;
    const lease = { owner, kinds: ['replay'], now: this.at, leaseMs: itemLeaseMs } as const;
    return (await new JobRepository(this.store.database).lease(lease))[0];
  }

  /** One process takes its turn. @returns how many items it sent */
  async turn(budget = 1_000, owner: string = owners[0]): Promise<number> {
    const job = await this.lease(owner);
    if (job === undefined) return 0;
    const turn = await this.turnOf(job, budget);
    await new JobRepository(this.store.database).save({ jobId: job.jobId, owner, now: this.at, turn });
    return turn.begun ?? 0;
  }

  /** A turn of it as the runner makes it, and keeps nothing. */
  async turnOf(job: Job, budget: number): Promise<JobTurn> {
    return pacedTurn(this.work, job, budget, this.tools);
  }

  async states(jobId = 'r1'): Promise<Readonly<Record<string, number>>> {
    return (await new JobItemRepository(this.store.database).count([await this.replay(jobId)])).get(jobId) ?? {};
  }

  async replay(jobId = 'r1'): Promise<Job> {
    const found = await new JobRepository(this.store.database).find(jobId);
    if (found === null) throw new Error('no such replay');
    return found;
  }
}
