import type { Partner } from '#gateway';
import type { Database } from '#platform';
import { DatabaseError, LocalWake } from '#platform';

import type { DeliveryPorts } from './delivery-loop.js';
import { DeliveryLoop } from './delivery-loop.js';
import type { DeliveryEngine } from './engine/delivery-engine.js';
import type { DeliveryEffect, DeliveryEvent } from './engine/messages.js';
import { applied, commandOf, exampleSettings, lookup, startAt } from './testing/engine-harness.js';

interface Shell {
  /** Has the effect performed, and waits for what comes of it. */
  readonly run: (effect: DeliveryEffect) => Promise<void>;
  /** What the engine is told of it. */
  readonly events: DeliveryEvent[];
  readonly troubles: string[];
}

const unavailable = new DatabaseError('any', 'unavailable', { sqlState: null, cause: null });

/** A loop around an engine that asks for what the spec wants done, once. */
function shell(
  now: number,
  partner: Partial<Partner>,
  {
    databaseError = unavailable,
    isClosed = false,
  }: { readonly databaseError?: Error; readonly isClosed?: boolean } = {},
): Shell {
  const events: DeliveryEvent[] = [];
  const troubles: string[] = [];
  const wake = new LocalWake();
  let wanted: DeliveryEffect[] = [];
  const absorb = (event: DeliveryEvent): void => {
    if (event.type !== 'Woken' && event.type !== 'CoordinationDue') events.push(event);
  };
  const step = (event: DeliveryEvent): DeliveryEffect[] => {
    absorb(event);
    return wanted.splice(0);
  };
  const engine = { step, absorb, isClosed: () => isClosed, setPrograms: () => undefined, reportsAfterMs: 1 };
  const clock = { now: () => now, monotonic: () => now, soon: queueMicrotask, after: () => () => undefined };
  const ports = {
    clock,
    random: { uuid: () => 'owner' },
    partner,
    wake,
    database: { execute: () => Promise.reject(databaseError) } as unknown as Database,
    onFailure: (operation: string) => troubles.push(operation),
  } as unknown as DeliveryPorts;
  const loop = new DeliveryLoop(ports, exampleSettings, engine as unknown as DeliveryEngine);
  loop.start({});
  const run = async (effect: DeliveryEffect): Promise<void> => {
    wanted = [effect];
    wake.notify();
    await settled();
  };
  return { run, events, troubles };
}

/** Nothing here waits for more than promises that are settled already. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

const send = {
  type: 'Send',
  program: 'coffee-club',
  laneId: 1,
  epoch: 1,
  sendBy: startAt,
  command: commandOf('transaction'),
  origin: { seq: 1, attempt: 1, purpose: 'send', claimedAt: startAt, traceparent: undefined, isReplay: false },
} as const;

describe('the delivery loop, asked by its engine', () => {
  it('sends while there is time left under the lease', async () => {
    const calls: unknown[] = [];
    const { run, events } = shell(startAt, {
      send: (command) => (calls.push(command), Promise.resolve(applied as never)),
    });
    await run(send);
    expect(calls).toEqual([send.command]);
    expect(events).toMatchObject([{ type: 'AttemptAnswered', report: { outcome: { kind: 'applied' } } }]);
  });

  it('sends nothing once the time under the lease is over, and says that nothing was sent', async () => {
    const { run, events } = shell(startAt + 1, {
      send: () => Promise.reject(new Error('must not be called')),
    });
    await run(send);
    expect(events).toMatchObject([
      { report: { phase: 'not-sent', outcome: { kind: 'not-applied', code: 'send-window-missed', answered: false } } },
    ]);
  });

  it('takes a defect during a send as unknown, never as not sent', async () => {
    const { run, events, troubles } = shell(startAt, {
      send: () => Promise.reject(new TypeError('defect')),
    });
    await run(send);
    expect(events).toMatchObject([{ report: { phase: 'sent', outcome: { kind: 'unknown' } } }]);
    expect(troubles).toEqual(['send']);
  });

  it('tells the engine of a claim and a flush that the database refused', async () => {
    const { run, events } = shell(startAt, {});
    await run({
      type: 'Claim',
      begins: { max: 0, operations: [] },
      namesPasses: false,
      looksFirst: false,
      program: 'coffee-club',
      limit: 1,
      leaseUntil: startAt,
    });
    await run({ type: 'Flush', flushId: 7, steps: [], isRetry: true });
    expect(events).toEqual([
      { type: 'ClaimFailed', program: 'coffee-club' },
      { type: 'FlushFailed', flushId: 7, isAway: true },
    ]);
  });

  it('tells a step that cannot be digested from a database that is away', async () => {
    const failed = new DatabaseError('any', 'failed', { sqlState: '22P05', cause: null });
    for (const error of [failed, new TypeError('a defect of ours')]) {
      const { run, events } = shell(startAt, {}, { databaseError: error });
      await run({ type: 'Flush', flushId: 7, steps: [], isRetry: true });
      expect(events).toEqual([{ type: 'FlushFailed', flushId: 7, isAway: false }]);
    }
  });

  it('tells of a listing that failed as of a look that failed: a rest that was asked for there must be kept', async () => {
    const counted = { kind: 'failed', stage: 'answer', code: 'http-429', retryAfterMs: 2_600 } as const;
    const { evidence } = lookup('absent');
    const { run, events } = shell(startAt, {
      findPass: () => Promise.resolve(lookup('absent')),
      countPasses: () => Promise.resolve({ ...counted, evidence }),
    });
    const { program, laneId, epoch, command, origin } = send;
    const asked = { ...origin, purpose: 'resolve' } as const;
    await run({ type: 'Lookup', program, laneId, epoch, command, origin: asked, confirmsAbsence: true });
    expect(events).toMatchObject([{ type: 'LookupAnswered', report: counted, listed: null }]);
  });

  it('does not ask for the listing where the partner wants rest since the look was sent', async () => {
    const { run, events, troubles } = shell(
      startAt,
      { findPass: () => Promise.resolve(lookup('absent')) },
      { isClosed: true },
    );
    const { program, laneId, epoch, command, origin } = send;
    const asked = { ...origin, purpose: 'resolve' } as const;
    await run({ type: 'Lookup', program, laneId, epoch, command, origin: asked, confirmsAbsence: true });
    const report = { kind: 'failed', stage: 'request', code: 'gate-closed', retryAfterMs: null };
    expect(events).toMatchObject([{ type: 'LookupAnswered', report, listed: null }]);
    expect(troubles).toEqual([]);
  });

  it('lets a failed release be: the leases end by themselves', async () => {
    const { run, events, troubles } = shell(startAt, {});
    await run({ type: 'Release', lanes: [{ laneId: 1, epoch: 1 }] });
    expect([events, troubles]).toEqual([[], ['release lanes']]);
  });
});
