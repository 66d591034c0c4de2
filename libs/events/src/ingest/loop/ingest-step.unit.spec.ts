import { recordBatchMax } from '#intents';

import {
  type BatchOffsets,
  chunkBytesMax,
  heartbeatEveryMs,
  type IngestEffect,
  type IngestEvent,
  type IngestState,
  ingestStep,
  initialIngestState,
  recordRetryMsMax,
  recordRetryMsMin,
  recordTriesBeforeBisectMax,
} from './ingest-step.js';

function batchOf(offsets: readonly number[], more: Partial<BatchOffsets> = {}): BatchOffsets {
  const bytes = offsets.map(() => 600);
  return { fetchedFrom: offsets[0]!, offsets, bytes, nextOffset: offsets.at(-1)! + 1, ...more };
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** The fetch had to begin at `fetchFrom`; everything below `position` is durable, and stored up to `storedOffset`. */
const arrived = (fetchFrom: number, position = fetchFrom, storedOffset = position): IngestEvent => ({
  type: 'batch-arrived',
  arrival: { kind: 'placed', fetchFrom, position, storedOffset },
});
const acknowledged = (nextOffset: number, storedOffset: number | null = nextOffset): IngestEffect => ({
  ...{ type: 'acknowledge', nextOffset, storedOffset },
});
const recorded = (storedOffset: number): IngestEvent => ({ type: 'chunk-recorded', storedOffset });
const refused: IngestEvent = { type: 'recording-failed', cause: 'content', failure: 'record: x', chance: 0 };
const away = { type: 'recording-failed', cause: 'unavailable', failure: 'record: x', chance: 0 } as const;
const retry: IngestEvent = { type: 'timer-fired', timer: 'retry' };

/** Given a batch, when these events come, then: the effects of the last one, and the state. */
function when(batch: BatchOffsets, events: readonly IngestEvent[]): { state: IngestState; effects: IngestEffect[] } {
  let state = initialIngestState(batch);
  let effects: readonly IngestEffect[] = [];
  for (const event of events) ({ state, effects } = ingestStep(state, event));
  return { state, effects: [...effects] };
}

function effectsWhen(batch: BatchOffsets, ...events: IngestEvent[]): IngestEffect[] {
  return when(batch, events).effects;
}

function chunk(from: number, to: number, nextOffset: number): IngestEffect {
  return chunkAt(from, { from, to, nextOffset });
}

/** @param fromOffset where the partition stands before the chunk */
function chunkAt(fromOffset: number, rest: { from: number; to: number; nextOffset: number }): IngestEffect {
  return { type: 'record-chunk', chunk: { ...rest, fromOffset, poison: null } };
}

/** The first record alone, set aside. */
const poisoned: IngestEffect = {
  type: 'record-chunk',
  chunk: { from: 0, to: 1, fromOffset: 0, nextOffset: 1, poison: 'record: x' },
};

const heartbeatTimer: IngestEffect = { type: 'start-timer', timer: 'heartbeat', delayMs: heartbeatEveryMs };

describe('a batch that begins where the partition stands', () => {
  it('is recorded in pieces that are not too large to be decoded at once, of one record at least', () => {
    const bytes = [chunkBytesMax / 2, chunkBytesMax / 2, 1, chunkBytesMax + 1, chunkBytesMax + 1];
    const batch = batchOf([0, 1, 2, 3, 4], { bytes });
    const ends = [2, 3, 4];
    const events = ends.map(recorded);
    const pieces = [0, ...ends].map((_, count) => effectsWhen(batch, arrived(0), ...events.slice(0, count)).at(-1));
    expect(pieces).toEqual([chunk(0, 2, 2), chunk(2, 3, 3), chunk(3, 4, 4), chunk(4, 5, 5)]);
  });

  it('is recorded, and acknowledged only after the commit', () => {
    const batch = batchOf([5, 6, 7]);
    expect(effectsWhen(batch, arrived(5))).toEqual([heartbeatTimer, chunkAt(5, { from: 0, to: 3, nextOffset: 8 })]);
    expect(effectsWhen(batch, arrived(5), recorded(8))).toEqual([
      acknowledged(8),
      { type: 'finish', outcome: 'consumed' },
    ]);
  });

  it('is cut into chunks that one transaction can take', () => {
    const batch = batchOf(range(0, recordBatchMax + 1));
    expect(effectsWhen(batch, arrived(0))).toContainEqual(chunk(0, recordBatchMax, recordBatchMax));
    expect(effectsWhen(batch, arrived(0), recorded(recordBatchMax))).toEqual([
      acknowledged(recordBatchMax),
      chunk(recordBatchMax, recordBatchMax + 1, recordBatchMax + 1),
    ]);
  });

  it('moves beyond what the client filtered out behind its last record', () => {
    const batch = batchOf([5, 6], { nextOffset: 9 });
    expect(effectsWhen(batch, arrived(5))).toContainEqual(chunkAt(5, { from: 0, to: 2, nextOffset: 9 }));
  });

  it('regression: begins where the database stands, although nothing was to be recorded from there', () => {
    expect(effectsWhen(batchOf([602], { fetchedFrom: 500 }), arrived(500, 500, 40))).toEqual([
      heartbeatTimer,
      chunkAt(40, { from: 0, to: 1, nextOffset: 603 }),
    ]);
  });

  it('may have holes: compaction leaves them', () => {
    const batch = batchOf([5, 8, 12], { fetchedFrom: 3 });
    expect(effectsWhen(batch, arrived(3))).toContainEqual(chunkAt(3, { from: 0, to: 3, nextOffset: 13 }));
  });
});

describe('a batch that brings the last record consumed once more, as a proof', () => {
  it('is taken from where the partition stands', () => {
    const batch = batchOf(range(6, 4));
    expect(effectsWhen(batch, arrived(6, 7))).toEqual([
      { type: 'drop-consumed', count: 1 },
      heartbeatTimer,
      chunkAt(7, { from: 1, to: 4, nextOffset: 10 }),
    ]);
  });

  it('goes on where the partition stands when it brings nothing else, also beyond what it holds', () => {
    expect(effectsWhen(batchOf([6]), arrived(6, 9))).toEqual([
      { type: 'drop-consumed', count: 1 },
      acknowledged(9, null),
      { type: 'finish', outcome: 'consumed' },
    ]);
  });
});

describe('a batch that is dropped', () => {
  const misplaced = (fetchedFrom: number | null): IngestEffect[] => [
    { type: 'reposition', fetchedFrom },
    { type: 'finish', outcome: 'misplaced' },
  ];

  it('was fetched from beyond where we stand', () => {
    expect(effectsWhen(batchOf([9, 10]), arrived(5))).toEqual(misplaced(9));
  });

  it('was fetched from before where we stand: the topic may be another one', () => {
    expect(effectsWhen(batchOf([0, 1]), arrived(5))).toEqual(misplaced(0));
  });

  it('is of another topic under the same name', () => {
    expect(effectsWhen(batchOf([0, 1]), { type: 'batch-arrived', arrival: { kind: 'foreign' } })).toEqual(misplaced(0));
  });

  it('comes while nobody knows where we stand', () => {
    expect(effectsWhen(batchOf([0, 1]), { type: 'batch-arrived', arrival: { kind: 'unplaced' } })).toEqual([
      { type: 'finish', outcome: 'unplaced' },
    ]);
  });

  it('begins beyond the stored offset', () => {
    const behind: IngestEvent = { type: 'recording-failed', cause: 'behind', failure: 'record: x', chance: 0 };
    expect(effectsWhen(batchOf([9, 10]), arrived(9), behind)).toEqual(misplaced(null));
  });
});

describe('a database that is away', () => {
  it('is asked again with growing, bounded delays, for ever', () => {
    let { state } = when(batchOf([0]), [arrived(0)]);
    const delays: number[] = [];
    for (let failures = 0; failures < 50; failures += 1) {
      const failed = ingestStep(state, { ...away, chance: 0.999 });
      const timer = failed.effects[0]!;
      delays.push(timer.type === 'start-timer' ? timer.delayMs : -1);
      const again = ingestStep(failed.state, retry);
      expect(again.effects).toEqual([chunk(0, 1, 1)]);
      ({ state } = again);
    }
    expect(delays[0]).toBeGreaterThanOrEqual(recordRetryMsMin);
    expect(delays[1]).toBeGreaterThan(delays[0]!);
    expect(delays.at(-1)).toBe(recordRetryMsMax);
  });

  it('does not silence the heartbeat', () => {
    const events = [arrived(0), away, { type: 'timer-fired', timer: 'heartbeat' } as const];
    expect(effectsWhen(batchOf([0]), ...events)).toEqual([{ type: 'heartbeat' }]);
    expect(effectsWhen(batchOf([0]), ...events, { type: 'heartbeat-done' })).toEqual([heartbeatTimer]);
  });

  it('begins with short delays again after a success', () => {
    const batch = batchOf(range(0, recordBatchMax + 1));
    const { state } = when(batch, [arrived(0), away, retry, away, retry, recorded(recordBatchMax)]);
    expect(state.delayMs).toBe(0);
  });
});

describe('a record that cannot be read yet', () => {
  const unread = { type: 'recording-failed', cause: 'unreadable-yet', failure: 'http-503', chance: 0.5 } as const;
  const deferred: IngestEffect[] = [
    { type: 'defer', failure: 'http-503', chance: 0.5 },
    { type: 'finish', outcome: 'deferred' },
  ];

  it('ends its batch and defers its partition, with what stands before it acknowledged', () => {
    expect(effectsWhen(batchOf([5, 6, 7]), arrived(5), unread)).toEqual(deferred);
    expect(effectsWhen(batchOf([5, 6, 7]), arrived(5), recorded(6), unread)).toEqual(deferred);
    expect(effectsWhen(batchOf([5, 6, 7]), arrived(5), recorded(6))[0]).toEqual(acknowledged(6));
  });

  it('defers nothing any more once we are asked to stop', () => {
    const events = [arrived(5), { type: 'stop-requested' } as const, unread];
    expect(effectsWhen(batchOf([5]), ...events)).toEqual([{ type: 'finish', outcome: 'stopped' }]);
  });
});

describe('records that the database refuses for their content', () => {
  const patience = range(0, recordTriesBeforeBisectMax - 1).flatMap(() => [refused, retry]);

  it('are tried some times, then the chunk is halved', () => {
    const batch = batchOf([0, 1, 2, 3, 4]);
    expect(effectsWhen(batch, arrived(0), ...patience, refused)).toEqual([chunk(0, 3, 3)]);
    expect(effectsWhen(batch, arrived(0), ...patience, refused, refused)).toEqual([chunk(0, 2, 2)]);
  });

  it('are set aside one by one, the others recorded', () => {
    const batch = batchOf([0, 1]);
    const alone = [arrived(0), ...patience, refused, ...patience];
    expect(effectsWhen(batch, ...alone, refused)).toEqual([poisoned]);
    expect(effectsWhen(batch, ...alone, refused, recorded(1))).toEqual([acknowledged(1), chunk(1, 2, 2)]);
  });

  it('are never given up: a quarantine that fails is repeated', () => {
    const setAside = [arrived(0), ...patience, refused];
    expect(effectsWhen(batchOf([0]), ...setAside, refused)).toEqual([
      { type: 'start-timer', timer: 'retry', delayMs: recordRetryMsMin },
    ]);
    expect(effectsWhen(batchOf([0]), ...setAside, refused, retry)).toEqual([poisoned]);
  });

  it('let the chunks grow again behind them', () => {
    const batch = batchOf(range(0, 100));
    const { state } = when(batch, [arrived(0), ...patience, refused, refused, recorded(25)]);
    expect(state.size).toBe(50);
  });
});

describe('an end from outside', () => {
  it('waits for the open transaction', () => {
    const batch = batchOf(range(0, recordBatchMax + 1));
    expect(effectsWhen(batch, arrived(0), { type: 'stop-requested' })).toEqual([]);
    expect(effectsWhen(batch, arrived(0), { type: 'stop-requested' }, recorded(recordBatchMax))).toEqual([
      acknowledged(recordBatchMax),
      { type: 'finish', outcome: 'stopped' },
    ]);
  });

  it('does not wait for a retry', () => {
    const finish = [{ type: 'finish', outcome: 'stopped' }];
    expect(effectsWhen(batchOf([0]), arrived(0), away, { type: 'stop-requested' })).toEqual(finish);
    expect(effectsWhen(batchOf([0]), arrived(0), { type: 'stop-requested' }, away)).toEqual(finish);
  });

  it('acknowledges nothing any more once the partition is lost', () => {
    const lost = [arrived(0), { type: 'heartbeat-failed' } as const];
    expect(effectsWhen(batchOf([0]), ...lost)).toEqual([{ type: 'finish', outcome: 'lost' }]);
    expect(effectsWhen(batchOf([0]), ...lost, recorded(1))).toEqual([]);
  });
});
