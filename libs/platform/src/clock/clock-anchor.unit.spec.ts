import type { Database } from '../database/database.js';
import {
  anchorClock,
  ClockAnchor,
  clockAnchorIntervalMs,
  clockRemeasureMs,
  clockRoundTripMsMax,
} from './clock-anchor.js';
import { SystemClock, type CancelTimer } from './clock.js';

/** Monotonic time and timers that stand still until told. */
class StoppedClock extends SystemClock {
  at = 1_000;
  readonly timers: { readonly delayMs: number; readonly task: () => void }[] = [];

  override monotonic(): number {
    return this.at;
  }

  override after(delayMs: number, task: () => void): CancelTimer {
    const timer = { delayMs, task };
    this.timers.push(timer);
    return () => {
      const index = this.timers.indexOf(timer);
      if (index >= 0) this.timers.splice(index, 1);
    };
  }
}

function setUp() {
  const clock = new StoppedClock();
  const state = { aheadMs: 5_000_000, roundTripMs: 0, isAway: false, reads: 0 };
  const execute = async (): Promise<unknown> => {
    state.reads += 1;
    if (state.isAway) throw new Error('away');
    const at = clock.at + state.roundTripMs / 2 + state.aheadMs;
    clock.at += state.roundTripMs;
    return { rows: [{ at }], rowCount: 1 };
  };
  const anchor = new ClockAnchor(clock, { execute } as unknown as Database);
  const told: string[] = [];
  anchor.listen({
    measured: (ms) => told.push(`measured ${ms}`),
    jumped: (ms) => told.push(`jumped ${ms}`),
    anchored: () => told.push('anchored'),
    failed: () => told.push('failed'),
  });
  /** How far the clock is behind the database's. */
  const offset = (): number => clock.offsetTo(clock.at + state.aheadMs, clock.at);
  return { clock, state, anchor, told, offset };
}

type World = ReturnType<typeof setUp>;

async function started(): Promise<World> {
  const world = setUp();
  await world.anchor.start();
  return world;
}

/** The database's clock goes by this much more than ours. */
async function drifted(world: World, ms: number): Promise<void> {
  world.state.aheadMs += ms;
  await world.anchor.measure();
}

describe('a clock that is anchored', () => {
  it('takes over whatever the database says at first', async () => {
    const { anchor, offset } = await started();
    expect(anchor.isTrusted).toBe(true);
    expect(offset()).toBe(0);
  });

  it.each([1_000, -1_000, 3])('follows a drift of %d ms at once', async (ms) => {
    const world = await started();
    await drifted(world, ms);
    expect(world.told).toEqual([`measured ${ms}`]);
    expect(world.anchor.isTrusted).toBe(true);
    expect(world.offset()).toBe(0);
  });

  it.each([1_001, -3_600_000])('is not trusted after a jump of %d ms, until a second reading agrees', async (ms) => {
    const world = await started();
    await drifted(world, ms);
    expect(world.anchor.isTrusted).toBe(false);
    expect(world.offset()).toBe(ms);
    await drifted(world, 0);
    expect(world.told).toEqual([`measured ${ms}`, `jumped ${ms}`, `measured ${ms}`, 'anchored']);
    expect(world.anchor.isTrusted).toBe(true);
    expect(world.offset()).toBe(0);
  });

  it('is not moved by readings that do not agree, nor by one that was wrong', async () => {
    const world = await started();
    await drifted(world, 5_000);
    await drifted(world, 5_000);
    expect(world.anchor.isTrusted).toBe(false);
    await drifted(world, -10_000);
    expect(world.anchor.isTrusted).toBe(true);
    expect(world.told.at(-1)).toBe('anchored');
    expect(world.offset()).toBe(0);
  });

  it('learns nothing from a reading that took too long', async () => {
    const world = await started();
    world.state.roundTripMs = clockRoundTripMsMax + 1;
    await drifted(world, 5_000);
    expect(world.told).toEqual([]);
    expect(world.anchor.isTrusted).toBe(true);
    world.anchor.doubt();
    await world.anchor.measure();
    expect(world.anchor.isTrusted).toBe(false);
  });

  it('is not trusted while the database is away, and is at once when it is back', async () => {
    const world = await started();
    world.state.isAway = true;
    await world.anchor.measure();
    expect(world.anchor.isTrusted).toBe(false);
    world.state.isAway = false;
    await world.anchor.measure();
    expect(world.told).toEqual(['failed', 'measured 0', 'anchored']);
  });
});

describe('measuring', () => {
  it('comes every ten seconds, and every second while there is no trust', async () => {
    const world = await started();
    expect(world.clock.timers.map(({ delayMs }) => delayMs)).toEqual([clockAnchorIntervalMs]);
    await drifted(world, 5_000);
    expect(world.clock.timers.map(({ delayMs }) => delayMs)).toEqual([clockRemeasureMs]);
    world.clock.timers[0]?.task();
    await world.anchor.measure();
    expect(world.clock.timers.map(({ delayMs }) => delayMs)).toEqual([clockAnchorIntervalMs]);
  });

  it('comes at once when the connection is in doubt, once for all who doubt', async () => {
    const world = await started();
    const before = world.state.reads;
    world.anchor.doubt();
    world.anchor.doubt();
    expect(world.anchor.isTrusted).toBe(false);
    await world.anchor.measure();
    expect(world.state.reads).toBe(before + 1);
    expect(world.anchor.isTrusted).toBe(true);
  });

  it('ends when it is told to', async () => {
    const world = await started();
    world.anchor.stop();
    await world.anchor.measure();
    expect(world.clock.timers).toEqual([]);
  });

  it('cannot begin without a database', async () => {
    const world = setUp();
    world.state.isAway = true;
    await expect(world.anchor.start()).rejects.toThrow('away');
  });
});

describe('a slow answer', () => {
  it('at the start is read again, and the quickest is believed', async () => {
    const world = setUp();
    world.state.roundTripMs = 900;
    await world.anchor.start();
    expect(world.state.reads).toBe(5);
  });

  it('does not move a clock that it does not contradict', async () => {
    const world = await started();
    world.state.roundTripMs = 900;
    await drifted(world, 400);
    expect(world.offset()).toBe(400);
    await drifted(world, 100);
    expect(world.offset()).toBe(0);
  });
});

/** Answers `at` and lets the round trip take `tripMs` of the clock's own time. */
class ScriptedClock extends SystemClock {
  private readonly readings: number[];

  constructor(...readings: readonly number[]) {
    super();
    this.readings = [...readings];
  }

  override monotonic(): number {
    return this.readings.shift() ?? super.monotonic();
  }
}

function databaseAt(...rows: readonly { readonly at: number }[]): Database {
  const execute = async (): Promise<unknown> => ({ rows, rowCount: rows.length });
  return { execute } as unknown as Database;
}

describe('anchorClock', () => {
  it('takes the database\u2019s time for the middle of the round trip', async () => {
    jest.useFakeTimers({ now: 7_000, doNotFake: ['nextTick', 'queueMicrotask'] });
    try {
      const clock = new ScriptedClock(1_000, 1_400);
      const monotonicNow = new SystemClock().monotonic();
      const moved = await anchorClock(clock, databaseAt({ at: 50_000 }));
      expect(moved).toBe(50_000 - 1_200 - (7_000 - monotonicNow));
      expect(clock.now()).toBe(48_800 + monotonicNow);
    } finally {
      jest.useRealTimers();
    }
  });

  it('fails when the database answers no time', async () => {
    await expect(anchorClock(new SystemClock(), databaseAt())).rejects.toThrow('no time');
  });
});
