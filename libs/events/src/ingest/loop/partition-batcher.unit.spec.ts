import { describeFailure, type PreparedRecord, type RecordResult } from '#intents';
import { DatabaseError, LocalWake, MasterKeyMissingError, noTracer, SealBrokenError, SystemRandom } from '#platform';
import { RecordingTracer, VirtualClock } from '#test-support';
import { Positions } from '../positions/positions.js';
import type { FetchedBatch } from '#kafka';
import { eventRecord, testPrograms } from '../testing/events.js';
import { testSources } from '../testing/sources.js';
import { FakeOffsets, FakeSource, recordingLogger, recordingMetrics } from '../testing/fakes.js';
import { recordRetryMsMax } from './ingest-step.js';
import { PartitionBatcher, traceChunk } from './partition-batcher.js';
import { prepareRecord } from './prepare-record.js';

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
  readonly batcher: PartitionBatcher;
  readonly lease: { acknowledged: number[]; heartbeats: number; isLost: boolean };
  /** @returns why the batch needed no more work */
  readonly consume: () => Promise<string>;
}

/** Given a partition that stands at 40, a batch from there, and a database that does what is asked. */
async function given(record: () => Promise<number>): Promise<World> {
  const clock = new VirtualClock();
  const random = new SystemRandom();
  const { logger, lines } = recordingLogger();
  let isConsumed = false;
  const metrics = { ...recordingMetrics().metrics, consumerLag: () => void (isConsumed = true) };
  const database = new FakeOffsets();
  database.store({ ...partition, incarnation: 1, next_offset: 40 });
  const source = new FakeSource();
  const tools = { clock, random, logger, metrics };
  const positions = new Positions(
    { source, database, ...tools, fingerprint: () => new Uint8Array() },
    { kind: 'earliest' },
  );
  positions.assign([partition]);
  await clock.advance(0);
  const lease = { acknowledged: [] as number[], heartbeats: 0, isLost: false };
  const repository = {
    record: async () => [{ results: [], intents: 0, nextOffset: await record() }],
  };
  const programs = testPrograms();
  const topics = { members: 'loyalty.members', purchases: partition.topic, rewards: 'loyalty.rewards' };
  const batcher = new PartitionBatcher({
    ...{
      ...tools,
      repository,
      positions,
      programs: () => programs,
      sources: testSources(topics),
      wake: new LocalWake(),
    },
    ...{ hasDeadLetters: false, onQuarantined: () => undefined },
  });
  const consume = async (): Promise<string> => {
    await batcher.consume(batch, {
      acknowledge: (offset) => {
        lease.acknowledged.push(offset);
      },
      heartbeat: async () => {
        lease.heartbeats += 1;
        if (lease.isLost) throw new Error('rebalancing');
      },
    });
    return isConsumed ? 'consumed' : (lines.at(-1)?.fields as { readonly outcome: string }).outcome;
  };
  return { clock, batcher, lease, consume };
}

describe('a batch in work', () => {
  it('ends with an acknowledgement once it is recorded', async () => {
    const { clock, consume, lease } = await given(() => Promise.resolve(42));
    const outcome = consume();
    await clock.advance(0);
    expect(await outcome).toBe('consumed');
    expect(lease.acknowledged).toEqual([42]);
  });

  it('gives a sign of life at least every three seconds while the database is away, then ends well', async () => {
    let isAway = true;
    const { clock, consume, lease } = await given(() => (isAway ? Promise.reject(away) : Promise.resolve(42)));
    const outcome = consume();
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
    const { clock, batcher, consume, lease } = await given(() => new Promise(() => undefined));
    void consume();
    await clock.advance(30_000);
    expect(lease.heartbeats).toBeGreaterThanOrEqual(10);
    batcher.stop();
  });

  it('regression: has an answer, too, while the database refuses to write, and none while a transaction hangs', async () => {
    const diskFull = new DatabaseError('record_batch', 'unavailable', { sqlState: '53100', cause: null });
    const refused = await given(() => Promise.reject(diskFull));
    const hanging = await given(() => new Promise(() => undefined));
    for (const { clock, consume } of [refused, hanging]) {
      void consume();
      await clock.advance(600_000);
    }
    const unansweredMs = ({ batcher }: World): number => batcher.slowest.unansweredMs;
    expect(unansweredMs(refused)).toBeLessThanOrEqual(recordRetryMsMax);
    expect(unansweredMs(hanging)).toBe(600_000);
    for (const { batcher } of [refused, hanging]) batcher.stop();
  });

  it('ends when the partition is lost, and acknowledges nothing even if the transaction commits', async () => {
    const commit = Promise.withResolvers<number>();
    const { clock, consume, lease } = await given(() => commit.promise);
    const outcome = consume();
    lease.isLost = true;
    await clock.advance(3_000);
    expect(await outcome).toBe('lost');
    commit.resolve(42);
    await clock.advance(3_000);
    expect(lease.acknowledged).toEqual([]);
  });

  it('leaves no timer behind', async () => {
    const { clock, consume, lease } = await given(() => Promise.resolve(42));
    const outcome = consume();
    await clock.advance(0);
    await outcome;
    await clock.advance(60_000);
    expect(lease.heartbeats).toBe(0);
  });
});

const at = Date.UTC(2026, 10, 21, 12);
const source = { topic: 'loyalty.purchases', partition: 3 };
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

function prepared(own: string | null): PreparedRecord {
  const sketch = { id: 'e-1', name: 'loyalty.purchase.completed.v1' } as const;
  const record = {
    ...eventRecord(sketch),
    ...(own === null ? {} : { headers: { ...eventRecord(sketch).headers, traceparent: own } }),
  };
  return prepareRecord(record, { source, authority: null, programs: testPrograms().file, now: at });
}

const bad: PreparedRecord = {
  ...prepared(null),
  verdict: { kind: 'quarantine', reason: 'invalid', detail: 'data: x' },
};
const recorded: RecordResult = { kind: 'recorded' };

function contextOf({ verdict }: PreparedRecord): string | null | undefined {
  return verdict.kind === 'routed' ? verdict.traceparent : undefined;
}

describe('the spans of a chunk', () => {
  it('continue the traces of its records, and what is recorded continues them', () => {
    const tracer = new RecordingTracer();
    const chunk = traceChunk(tracer, { source, records: [prepared(traceparent), bad, prepared(null)], at });
    const [first, second] = tracer.spans;
    expect(tracer.spans.map(({ parent }) => parent)).toEqual([traceparent, null]);
    expect(chunk.records.map(contextOf)).toEqual([first?.traceparent, undefined, second?.traceparent]);

    chunk.recorded(
      [recorded, { kind: 'quarantined', reason: 'invalid' }, { kind: 'ignored', reason: 'duplicate-event' }],
      at + 5,
    );
    expect(first).toMatchObject({
      ...{ name: 'process loyalty.purchases', kind: 'consumer' },
      attributes: { 'messaging.destination.partition.id': '3', 'loyaltyd.event_type': 'loyalty.purchase.completed.v1' },
      ended: { at: at + 5, attributes: { 'loyaltyd.result': 'recorded' }, isError: false },
    });
    expect(second?.ended).toMatchObject({ attributes: { 'loyaltyd.result': 'duplicate-event' } });
  });

  it('are none where nothing is traced; the record keeps its own trace', () => {
    const records = [prepared(traceparent)];
    const chunk = traceChunk(noTracer, { source, records, at });
    chunk.recorded([recorded], at);
    expect(chunk.records).toBe(records);
    expect(chunk.records.map(contextOf)).toEqual([traceparent]);
  });
});
