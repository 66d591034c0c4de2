import type { IntentEvent } from '#domain';
import type { LaneCompletion } from '#intents';
import type { Lease, TestStore } from '#intents/testing';
import { applied, begin, claim, completion, leaseOf, now, purchase, record, stepOf, Till } from '#intents/testing';
import { SystemClock } from '#platform';

import { leaseReplays } from '../replays/replay-progress.js';
import type { ReplayTools } from '../replays/replay-runner.js';
import { replayStep } from '../replays/replay-runner.js';
import type { CreateReplayResult, NewReplay, Replay } from '../replays/replay-store.js';
import { countReplayItems, createReplay, findReplay } from '../replays/replay-store.js';

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

/** Replays as processes carry them on, turn by turn, and deliveries in between. */
export class Replaying {
  /** Stands where `at` is put. */
  at = far;
  readonly clock: SystemClock = Object.assign(new SystemClock(), { now: () => this.at });
  readonly till: Till;
  /** Told of items that have come to an end. */
  readonly ends: string[] = [];

  constructor(private readonly store: TestStore) {
    this.till = new Till(store);
  }

  get tools(): ReplayTools {
    const { database, keys } = this.store;
    const onReplayItems = (state: string, count: number): number => this.ends.push(`${state} ${count}`);
    return { database, clock: this.clock, keys: keys.members, onReplayItems };
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

  async create(change: Partial<NewReplay> = {}): Promise<CreateReplayResult> {
    const flags = { isCanary: false, isForced: false, isDryRun: false };
    return createReplay(this.store.database, {
      replayId: 'r1',
      query: {},
      ratePerSecond: 100,
      ...flags,
      audit,
      ...change,
    });
  }

  /** One process takes its turn. @returns how many items it sent */
  async turn(budget = 1_000, owner: string = owners[0]): Promise<number> {
    let sent = 0;
    for (const replay of await leaseReplays(this.store.database, { owner, now: this.clock.now() })) {
      sent += await replayStep(replay, budget, this.tools);
    }
    return sent;
  }

  async states(replayId = 'r1'): Promise<Readonly<Record<string, number>>> {
    const counts = await countReplayItems(this.store.database, [await this.replay(replayId)]);
    return counts.get(replayId)?.byState ?? {};
  }

  async replay(replayId = 'r1'): Promise<Replay> {
    const found = await findReplay(this.store.database, replayId);
    if (found === null) throw new Error('no such replay');
    return found;
  }
}
