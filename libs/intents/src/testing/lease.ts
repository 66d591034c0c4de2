import type { IntentEvent } from '#intents/core';
import type { SqlSession } from '#platform';

import type { ClaimRequest, ClaimResult } from '../store/lanes/claim-lanes.js';
import { claimLanes } from '../store/lanes/claim-lanes.js';
import type { ClaimedLane, PassKnowledge } from '../store/lanes/claimed-lane.js';
import type { LaneCompletion, LaneStep, StepKind, StepResult } from '../store/lanes/record-steps.js';
import { recordSteps } from '../store/lanes/record-steps.js';
import { now, program, Till } from './records.js';
import type { TestStore } from './test-store.js';
import { testStore } from './test-store.js';

export const owner = '00000000-0000-4000-8000-000000000001';
export const leaseMs = 60_000;

interface OpenLanes {
  readonly store: TestStore;
  readonly till: Till;
}

/** For one spec file: a store of its own, of whose lanes none is due when a test begins, and a till that records into it. */
export async function openLanes(): Promise<OpenLanes> {
  const store = await testStore(6);
  afterEach(async () => {
    await store.sql('UPDATE lane SET due_at = NULL');
  });
  afterAll(() => store.close());
  return { store, till: new Till(store) };
}

/** What a lease holder believes about its lane. */
export type Lease = Omit<LaneStep, 'completion' | 'carriesAnswer' | 'begin'>;

export async function tryClaim(store: TestStore, change: Partial<ClaimRequest> = {}): Promise<ClaimResult> {
  const at = change.now ?? now;
  const request = {
    program,
    now: at,
    leaseUntil: at + leaseMs,
    owner,
    limit: 64,
    floors: [null, null, null],
    ...change,
  } as const;
  return claimLanes(store.database, request, store.newMemberKeys());
}

/** Claims what is due; nothing of it may be unreadable. */
export async function claim(store: TestStore, change: Partial<ClaimRequest> = {}): Promise<readonly ClaimedLane[]> {
  const { lanes, unreadable } = await tryClaim(store, change);
  if (unreadable[0] !== undefined) throw unreadable[0].error;
  return lanes;
}

export function leaseOf({ key, laneId, epoch, revision, attempt, attemptOpen, cursor }: ClaimedLane): Lease {
  return { key, laneId, epoch, revision, attempt, attemptOpen, seq: cursor.current };
}

/** Claims the one lane that is due. */
export async function claimOne(store: TestStore, change: Partial<ClaimRequest> = {}): Promise<Lease> {
  const lanes = await claim(store, change);
  const lane = lanes[0];
  if (lane === undefined || lanes.length > 1) throw new Error(`${lanes.length} lanes are due instead of one`);
  return leaseOf(lane);
}

/** A completion of the lease's current intent with these events. */
export function completion(
  lease: Lease,
  kind: StepKind,
  change: { readonly events?: readonly IntentEvent[]; readonly dueAt?: number; readonly pass?: PassKnowledge } = {},
): LaneCompletion {
  const { events = [], dueAt = 0, pass = null } = change;
  return { kind, dueAt, pass, events: events.map((event) => ({ seq: lease.seq, event, evidence: null })) };
}

export function applied(lease: Lease): LaneCompletion {
  const { attempt } = lease;
  return completion(lease, 'settle', { events: [{ type: 'AttemptApplied', at: now, attempt }], pass: 'known' });
}

export function waitForPass(lease: Lease, recheckAt = now + 1_000): LaneCompletion {
  const events: IntentEvent[] = [
    { type: 'PassAbsent', at: now },
    { type: 'WaitingBegan', at: now, for: 'pass', recheckAt },
  ];
  return completion(lease, 'wait', { events, dueAt: recheckAt, pass: 'absent' });
}

export function stepOf(
  lease: Lease,
  parts: Partial<Pick<LaneStep, 'completion' | 'carriesAnswer' | 'begin'>>,
): LaneStep {
  return { ...lease, completion: null, carriesAnswer: lease.attemptOpen, begin: null, ...parts };
}

export function beginOf(seq: number, attempt = 1): LaneStep['begin'] {
  return { seq, attempt, before: null, leaseUntil: now + 2 * leaseMs, sendBy: now };
}

/** Records one step. */
export async function record(store: TestStore, step: LaneStep, isRetry = false): Promise<StepResult> {
  const [result] = await recordSteps(store.database, { steps: [step], now, isRetry }, store.keys);
  if (result === undefined) throw new Error('a step without a result');
  return result;
}

/** Begins the lease's current intent; the lease as it is then. */
export async function begin(store: TestStore, lease: Lease, attempt = lease.attempt + 1): Promise<Lease> {
  const { begun } = await record(store, stepOf(lease, { begin: beginOf(lease.seq, attempt) }));
  if (!begun) throw new Error('the begin was refused');
  return { ...lease, attempt, attemptOpen: true };
}

/** Claims, begins and delivers the one lane's current intent. */
export async function deliverOne(store: TestStore, change: Partial<ClaimRequest> = {}): Promise<void> {
  const lease = await begin(store, await claimOne(store, change));
  await record(store, stepOf(lease, { completion: applied(lease) }));
}

/** Resolves when `count` statements in this database wait for a lock that another transaction holds. */
export async function untilBlocked(store: TestStore, count = 1): Promise<void> {
  // eslint-disable-next-line no-restricted-syntax -- a look at the server's own locks, paced by the server
  const text = `SELECT pg_sleep(0.002)::text, pg_stat_clear_snapshot()::text, count(*) FROM pg_locks
    JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND NOT granted`;
  for (let rounds = 0; rounds < 5_000; rounds += 1) {
    const [row] = await store.sql<{ count: number }>(text);
    if ((row?.count ?? 0) >= count) return;
  }
  throw new Error('nothing waits for a lock');
}

/**
 * Runs `first` in a transaction and keeps it open until `second`, started meanwhile, waits for its locks; then commits.
 * @returns what `second` came to
 */
export async function whileLocked<T>(
  store: TestStore,
  first: (session: SqlSession) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const locked = Promise.withResolvers<undefined>();
  const release = Promise.withResolvers<undefined>();
  const holder = store.database.transaction('holder', async (session) => {
    await first(session);
    locked.resolve(undefined);
    await release.promise;
  });
  await Promise.race([locked.promise, holder]);
  const blocked = second();
  await Promise.race([untilBlocked(store), blocked]);
  release.resolve(undefined);
  await holder;
  return blocked;
}
