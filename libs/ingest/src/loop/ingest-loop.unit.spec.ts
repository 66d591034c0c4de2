import { describeFailure } from '#intents';
import { DatabaseError, MasterKeyMissingError, SealBrokenError, SystemRandom } from '#platform';
import { VirtualClock } from '#test-support';
import { Positions } from '../positions/positions.js';
import type { FetchedBatch } from '#kafka';
import { eventRecord } from '../testing/events.js';
import { FakeOffsets, FakeSource, recordingLogger, recordingMetrics } from '../testing/fakes.js';
import type { ChunkRecorder } from './chunk-recorder.js';
import { BatchRun } from './ingest-loop.js';
import { recordRetryMsMax } from './ingest-step.js';

function failed(kind: 'unavailable' | 'contention' | 'failed', sqlState: string | null): DatabaseError {
  return new DatabaseError('insert_intents', kind, { sqlState, cause: null });
}

describe('a recording that failed', () => {
  it.each<[string, unknown, string]>([
    ['the database is away', failed('unavailable', '57P01'), 'unavailable'],
    ['a deadlock that outlived its retries', failed('contention', '40P01'), 'unavailable'],
    ['a table is missing', failed('failed', '42P01'), 'unavailable'],
    ['a right is missing', failed('failed', '42501'), 'unavailable'],
    ['another batch was faster again and again', Object.assign(new Error(), { name: 'BatchRaceError' }), 'unavailable'],
    ['an encryption key is missing here', new MasterKeyMissingError(), 'unavailable'],
    ['the key of one member is damaged', new SealBrokenError(), 'content'],
    ['a value out of range', failed('failed', '22003'), 'content'],
    ['a violated constraint', failed('failed', '23514'), 'content'],
    ['the driver cannot send it', failed('failed', null), 'content'],
    ['our own code fails', new TypeError('x is not a function'), 'content'],
  ])('%s: the records are %s to blame', (_what, error, cause) => {
    expect(describeFailure(error).cause).toBe(cause);
  });

  it('is named by stage and code', () => {
    expect(describeFailure(failed('failed', '23514')).failure).toBe('record: insert_intents failed (23514)');
  });
});

const partition = { topic: 'p', partition: 0 };
const batch: FetchedBatch = {
  ...partition,
  fetchedFrom: 40,
  nextOffset: 42,
  highWatermark: 42,
  records: [40, 41].map((offset) => eventRecord({ id: `${offset}`, name: 'loyalty.purchase.completed.v1' }, offset)),
};

const away = new DatabaseError('record_batch', 'unavailable', { sqlState: '57P01', cause: null });

interface World {
  readonly clock: VirtualClock;
  readonly run: BatchRun;
  readonly lease: { acknowledged: number[]; heartbeats: number; isLost: boolean };
}

/** Given a partition that stands at 40, a batch from there, and a database that does as told. */
async function given(record: () => Promise<number>): Promise<World> {
  const clock = new VirtualClock();
  const random = new SystemRandom();
  const { logger } = recordingLogger();
  const { metrics } = recordingMetrics();
  const database = new FakeOffsets();
  database.store({ ...partition, incarnation: 1, next_offset: 40 });
  const source = new FakeSource();
  const positions = new Positions(
    { source, database, clock, random, logger, metrics, fingerprint: () => new Uint8Array() },
    { kind: 'earliest' },
  );
  positions.assign([partition]);
  await clock.advance(0);
  const lease = { acknowledged: [] as number[], heartbeats: 0, isLost: false };
  const recorder = { record, dropped: () => undefined } as unknown as ChunkRecorder;
  const run = new BatchRun({ recorder, positions, clock, random, logger }, batch, {
    acknowledge: (offset) => {
      lease.acknowledged.push(offset);
    },
    heartbeat: async () => {
      lease.heartbeats += 1;
      if (lease.isLost) throw new Error('rebalancing');
    },
  });
  return { clock, run, lease };
}

describe('a batch in work', () => {
  it('ends with an acknowledgement once it is recorded', async () => {
    const { run, lease } = await given(() => Promise.resolve(42));
    expect(await run.run()).toBe('consumed');
    expect(lease.acknowledged).toEqual([42]);
  });

  it('gives a sign of life at least every three seconds while the database is away, then ends well', async () => {
    let isAway = true;
    const { clock, run, lease } = await given(() => (isAway ? Promise.reject(away) : Promise.resolve(42)));
    const outcome = run.run();
    for (let seconds = 3; seconds <= 120; seconds += 3) {
      const before = lease.heartbeats;
      await clock.advance(3_000);
      expect(lease.heartbeats).toBeGreaterThan(before);
    }
    expect(lease.acknowledged).toEqual([]);
    isAway = false;
    await clock.advance(10_000);
    expect(await outcome).toBe('consumed');
    expect(lease.acknowledged).toEqual([42]);
  });

  it('gives a sign of life while a transaction hangs', async () => {
    const { clock, run, lease } = await given(() => new Promise(() => undefined));
    void run.run();
    await clock.advance(30_000);
    expect(lease.heartbeats).toBeGreaterThanOrEqual(10);
    run.stop();
  });

  it('regression: has an answer, too, while the database refuses to write, and none while a transaction hangs', async () => {
    const diskFull = new DatabaseError('record_batch', 'unavailable', { sqlState: '53100', cause: null });
    const refused = await given(() => Promise.reject(diskFull));
    const hanging = await given(() => new Promise(() => undefined));
    for (const { clock, run } of [refused, hanging]) {
      void run.run();
      await clock.advance(600_000);
    }
    const unansweredMs = ({ clock, run }: World): number => clock.monotonic() - run.lastAnsweredAt;
    expect(unansweredMs(refused)).toBeLessThanOrEqual(recordRetryMsMax);
    expect(unansweredMs(hanging)).toBe(600_000);
    for (const { run } of [refused, hanging]) run.stop();
  });

  it('ends when the partition is lost, and acknowledges nothing even if the transaction commits', async () => {
    const commit = Promise.withResolvers<number>();
    const { clock, run, lease } = await given(() => commit.promise);
    const outcome = run.run();
    lease.isLost = true;
    await clock.advance(3_000);
    expect(await outcome).toBe('lost');
    commit.resolve(42);
    await clock.advance(3_000);
    expect(lease.acknowledged).toEqual([]);
  });

  it('leaves no timer behind', async () => {
    const { clock, run, lease } = await given(() => Promise.resolve(42));
    await run.run();
    await clock.advance(60_000);
    expect(lease.heartbeats).toBe(0);
  });
});
