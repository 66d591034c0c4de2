import fc from 'fast-check';

import type { TestEvent } from '../../testing/records.js';
import { batchOf, now, prepared, transactionIntent, update } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { recordBatch } from './chunk-repository.js';
import { loadOffsets, startOffset } from './partition-offsets.js';
import type { SourcePartition } from './recording.js';

/** What a till says, by small numbers: which member, which purchase, how often it is emitted and how. */
interface Saying {
  readonly member: number;
  readonly kind: 'sale' | 'same-event' | 'same-sale' | 'other-total' | 'update';
  readonly of: number;
  readonly minute: number;
}

/** How the partitions are consumed: which one, how many records at once, how many of them once more, and by how many. */
interface Bite {
  readonly partition: number;
  readonly size: number;
  readonly again: number;
  readonly consumers: number;
}

const partitions = 2;
const sayings = fc.array(
  fc.record<Saying>({
    member: fc.nat(2),
    kind: fc.constantFrom('sale', 'sale', 'same-event', 'same-sale', 'other-total', 'update'),
    of: fc.nat(5),
    minute: fc.nat(9),
  }),
  { minLength: 1, maxLength: 24 },
);
const bites = fc.array(
  fc.record<Bite>({
    partition: fc.nat(partitions - 1),
    size: fc.integer({ min: 1, max: 9 }),
    again: fc.nat(6),
    consumers: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 20 },
);

let store: TestStore;
let runs = 0;

beforeAll(async () => {
  store = await testStore(8);
});

afterAll(() => store.close());

/** One topic as it was produced, and what must come of it whatever happens on the way. */
class World {
  readonly prefix: string;
  /** By partition, in offset order. A member's events lie in one; what is said again may come in another. */
  readonly logs: TestEvent[][] = Array.from({ length: partitions }, () => []);
  readonly sold = new Set<string>();
  readonly updated: string[] = [];
  conflicts = 0;
  private readonly sales = new Map<string, TestEvent>();
  private readonly lastMinute = new Map<string, number>();

  constructor(run: number, said: readonly Saying[]) {
    this.prefix = `r${run}`;
    said.forEach((saying, index) => {
      this.say(saying, index);
    });
  }

  private say({ member, kind, of, minute }: Saying, index: number): void {
    const memberId = `${this.prefix}-m${member}`;
    const log = this.logs[member % partitions]!;
    const purchaseId = `${this.prefix}-${member}-${of}`;
    const known = this.sales.get(purchaseId);
    if (kind === 'update') log.push(this.update(memberId, index, minute));
    else if (known === undefined) log.push(this.sale({ memberId, purchaseId, index }));
    else if (kind === 'other-total') log.push(this.saleAgain(known, index, true));
    else this.logs[minute % partitions]!.push(kind === 'same-sale' ? this.saleAgain(known, index, false) : known);
  }

  private sale(of: { memberId: string; purchaseId: string; index: number }): TestEvent {
    const { memberId, purchaseId, index } = of;
    const intent = transactionIntent(memberId, purchaseId);
    const base = update(`${this.prefix}-e${index}`, memberId);
    const event = { ...base, content: purchaseId, verdict: { ...base.verdict, intents: [intent] } };
    this.sales.set(purchaseId, event);
    this.sold.add(purchaseId);
    return event;
  }

  private saleAgain(known: TestEvent, index: number, isOther: boolean): TestEvent {
    const [intent] = known.verdict.intents;
    if (isOther) this.conflicts += 1;
    const intents = isOther ? [{ ...intent!, businessContent: 'other' }] : known.verdict.intents;
    return { ...known, id: `${this.prefix}-e${index}`, verdict: { ...known.verdict, intents } };
  }

  private update(memberId: string, index: number, minute: number): TestEvent {
    const id = `${this.prefix}-e${index}`;
    const last = this.lastMinute.get(memberId) ?? -1;
    if (minute >= last) {
      this.lastMinute.set(memberId, minute);
      this.updated.push(`${memberId} ${index}`);
    }
    const event = update(id, memberId, index);
    const profilePosition = { sequence: null, timeMs: now + minute * 60_000 };
    return { ...event, verdict: { ...event.verdict, profilePosition } };
  }
}

async function consume(world: World, script: readonly Bite[]): Promise<void> {
  const sources = world.logs.map((_log, partition): SourcePartition => {
    return { clusterId: 'c1', topic: world.prefix, incarnation: 1, partition };
  });
  for (const source of sources) await startOffset(store.database, source, 0);
  const rest = world.logs.map((log, partition) => ({ partition, size: log.length, again: 0, consumers: 1 }));
  for (const bite of [...script, ...rest]) await take(world, sources[bite.partition]!, bite);
}

/** One or several consumers record the same stretch at once; it may begin before what is consumed already. */
async function take(world: World, source: SourcePartition, { size, again, consumers }: Bite): Promise<void> {
  const log = world.logs[source.partition]!;
  const stored = await loadOffsets(store.database, { clusterId: 'c1', topics: [source.topic] });
  const next = stored.find(({ partition }) => partition === source.partition)?.nextOffset ?? 0;
  const fromOffset = Math.max(0, next - again);
  const nextOffset = Math.min(log.length, next + size);
  const records = log.slice(fromOffset, nextOffset).map((event, index) => prepared(event, fromOffset + index));
  const batch = batchOf(records, { source, fromOffset, nextOffset });
  await Promise.all(Array.from({ length: consumers }, () => recordBatch(store.database, batch, store.newKeys())));
}

interface RecordedRow {
  readonly member_id: string;
  readonly purchase_id: string | null;
  readonly seq: number;
  readonly kafka_offset: number;
  readonly partition: number;
}

it('whatever is delivered again, by whom and in which portions, comes to the same intents in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(sayings, bites, async (said, script) => {
      const world = new World((runs += 1), said);
      await consume(world, script);
      const rows = await store.sql<RecordedRow>(
        `SELECT m.member_id, i.purchase_id, i.seq, i.partition, i.kafka_offset FROM intent i JOIN member m USING (lane_id)
         WHERE i.topic = $1 ORDER BY i.lane_id, i.seq`,
        world.prefix,
      );
      const sold = rows.flatMap((row) => (row.purchase_id === null ? [] : [row.purchase_id]));
      expect(sold.toSorted()).toEqual([...world.sold].toSorted());
      expect(rows).toHaveLength(world.sold.size + world.updated.length);
      for (const [, own] of Map.groupBy(rows, (row) => row.member_id)) {
        expect(own.map(({ seq }) => seq)).toEqual(own.map((_row, index) => index + 1));
        for (const [, lane] of Map.groupBy(own, (row) => row.partition)) {
          const offsets = lane.map((row) => row.kafka_offset);
          expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
        }
      }
      const [aside] = await store.sql<{ count: number }>(
        'SELECT count(*) FROM quarantine WHERE topic = $1',
        world.prefix,
      );
      expect(aside?.count).toBe(world.conflicts);
    }),
    { numRuns: 60 },
  );
});
