import fc from 'fast-check';

import {
  type BatchOffsets,
  type Chunk,
  chunkBytesMax,
  type IngestEffect,
  type IngestEvent,
  type IngestState,
  ingestStep,
  initialIngestState,
} from './ingest-step.js';

/** A database and a group that behave as a script says; whatever the machine does is checked against them. */
class World {
  readonly acknowledged: number[] = [];
  readonly durable = new Set<number>();
  readonly poisoned = new Set<number>();
  finished: string | null = null;
  stored: number;
  private open: Chunk | null = null;
  private readonly timers = new Set<'retry' | 'heartbeat'>();

  constructor(
    private state: IngestState,
    private readonly poison: ReadonlySet<number>,
    expectedFrom: number,
  ) {
    this.stored = expectedFrom;
    const { fetchedFrom: fetchFrom } = state.batch;
    this.give({
      type: 'batch-arrived',
      arrival: { kind: 'placed', fetchFrom, position: expectedFrom, storedOffset: expectedFrom },
    });
  }

  private give(event: IngestEvent): void {
    if (event.type === 'timer-fired') this.timers.delete(event.timer);
    const { state, effects } = ingestStep(this.state, event);
    this.state = state;
    effects.forEach((effect) => {
      this.take(effect);
    });
  }

  private answers(choice: number): IngestEvent[] {
    if (this.open === null) return [];
    const { offsets } = this.state.batch;
    const isRefused =
      this.open.poison === null && offsets.slice(this.open.from, this.open.to).some((o) => this.poison.has(o));
    const failed = { type: 'recording-failed', failure: 'record: x', chance: (choice % 10) / 10 } as const;
    const outage: IngestEvent = { ...failed, cause: 'unavailable' };
    return [isRefused ? { ...failed, cause: 'content' } : this.committed(this.open), outage];
  }

  private committed(chunk: Chunk): IngestEvent {
    return { type: 'chunk-recorded', storedOffset: Math.max(this.stored, chunk.nextOffset) };
  }

  private commit(chunk: Chunk): void {
    for (const offset of this.state.batch.offsets.slice(chunk.from, chunk.to)) {
      this.durable.add(offset);
      if (chunk.poison !== null) this.poisoned.add(offset);
    }
    this.stored = Math.max(this.stored, chunk.nextOffset);
  }

  private take(effect: IngestEffect): void {
    if (effect.type === 'record-chunk') this.open = effect.chunk;
    if (effect.type === 'start-timer') this.timers.add(effect.timer);
    if (effect.type === 'acknowledge') this.acknowledged.push(effect.nextOffset);
    if (effect.type === 'finish') this.finished = effect.outcome;
  }

  /** Gives the event; a commit takes place just before the machine hears of it. */
  step(choice: number): void {
    const chunk = this.open;
    const events = [...this.answers(choice), ...[...this.timers].map(fired)];
    const event = events[choice % Math.max(1, events.length)];
    if (event === undefined) return;
    if (event.type === 'chunk-recorded' || event.type === 'recording-failed') this.open = null;
    if (event.type === 'chunk-recorded' && chunk !== null) this.commit(chunk);
    this.give(event);
  }
}

function fired(timer: 'retry' | 'heartbeat'): IngestEvent {
  return { type: 'timer-fired', timer };
}

const batches = fc
  .record({
    start: fc.nat(1000),
    gaps: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40 }),
    sizes: fc.array(fc.nat(chunkBytesMax), { minLength: 40, maxLength: 40 }),
    tail: fc.nat(3),
    consumed: fc.nat(50),
  })
  .map(({ start, gaps, sizes, tail, consumed }) => {
    const offsets: number[] = [];
    gaps.reduce((at, gap) => (offsets.push(at), at + gap), start);
    const bytes = sizes.slice(0, offsets.length);
    const batch: BatchOffsets = { fetchedFrom: start, offsets, bytes, nextOffset: offsets.at(-1)! + 1 + tail };
    return { batch, expectedFrom: start + consumed };
  });

describe('whatever happens to a batch', () => {
  it('acknowledges rising offsets, and only when everything below is durable', () => {
    const script = fc.array(fc.nat(1000), { maxLength: 200 });
    fc.assert(
      fc.property(batches, fc.array(fc.nat(39), { maxLength: 3 }), script, ({ batch, expectedFrom }, bad, choices) => {
        const poison = new Set(bad.flatMap((index) => batch.offsets[index] ?? []));
        const world = new World(initialIngestState(batch), poison, expectedFrom);
        for (const choice of choices) {
          world.step(choice);
          const last = world.acknowledged.at(-1) ?? -1;
          const missing = batch.offsets.filter((o) => o >= expectedFrom && o < last && !world.durable.has(o));
          expect(missing).toEqual([]);
        }
        expect(world.acknowledged).toEqual([...new Set(world.acknowledged)].sort((a, b) => a - b));
      }),
      { numRuns: 500 },
    );
  });

  it('ends once the database works: everything durable, only the poison set aside', () => {
    fc.assert(
      fc.property(batches, fc.array(fc.nat(39), { maxLength: 3 }), ({ batch, expectedFrom }, bad) => {
        const poison = new Set(bad.flatMap((index) => batch.offsets[index] ?? []));
        const world = new World(initialIngestState(batch), poison, expectedFrom);
        for (let steps = 0; world.finished === null && steps < 2000; steps += 1) world.step(0);
        const wanted = batch.offsets.filter((offset) => offset >= expectedFrom);
        expect(world.finished).toBe('consumed');
        expect([...world.durable].sort((a, b) => a - b)).toEqual(wanted);
        expect([...world.poisoned].sort((a, b) => a - b)).toEqual(wanted.filter((offset) => poison.has(offset)));
        expect(world.acknowledged.at(-1)).toBe(Math.max(batch.nextOffset, expectedFrom));
      }),
    );
  });
});
