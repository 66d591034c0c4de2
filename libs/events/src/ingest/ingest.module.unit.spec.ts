import { Test } from '@nestjs/testing';

import { type BatchResult, ChunkRepository, MemberKeys } from '#intents';
import { KafkaDriver, type SourceListener } from '#kafka';
import { Keyring, LocalWake, SystemRandom } from '#platform';
import { VirtualClock } from '#test-support';

import {
  Ingest,
  IngestModule,
  ingestStalls,
  sourceSilentMsMax,
  type StallQuestion,
  unansweredMsMax,
  unmovedMsMax,
} from './ingest.module.js';
import { eventRecord, testPrograms } from './testing/events.js';
import { FakeOffsets, FakeSource, recordingLogger, recordingMetrics } from './testing/fakes.js';

interface Standing {
  readonly silentMs?: number;
  readonly unmovedMs?: number;
  readonly unansweredMs?: number;
  readonly placingMs?: number;
  readonly isDatabaseThere?: boolean;
}

function stallsOf(standing: Standing): string[] {
  const { silentMs = 0, unmovedMs = 0, unansweredMs = 0, placingMs = 0, isDatabaseThere = true } = standing;
  const now = 10_000_000;
  const parts = {
    source: { lastProgressAt: () => now - silentMs },
    batcher: { slowest: { unmovedMs, unansweredMs } },
    positions: { unmovedMs: placingMs },
  };
  const question: StallQuestion = { now, isDatabaseThere };
  return ingestStalls(parts as unknown as Parameters<typeof ingestStalls>[0], question);
}

describe('what of ingest stands still', () => {
  it('is nothing as long as everything moves now and then', () => {
    expect(stallsOf({ silentMs: 60_000, unmovedMs: 30_000, unansweredMs: 60_000, placingMs: 30_000 })).toEqual([]);
  });

  it.each<[string, Standing]>([
    ['no sign of life', { silentMs: sourceSilentMsMax + 1 }],
    ['does not move', { unmovedMs: unmovedMsMax + 1 }],
    ['recording of a batch in hand does not end', { unansweredMs: unansweredMsMax + 1 }],
    ['are not placed', { placingMs: unmovedMsMax + 1 }],
  ])('is told: %s', (problem, standing) => {
    expect(stallsOf(standing)).toEqual([expect.stringContaining(problem)]);
  });

  it('is not a batch that waits for a database that is away', () => {
    expect(stallsOf({ unansweredMs: 10 * unansweredMsMax, isDatabaseThere: false })).toEqual([]);
  });
});

class ListenedSource extends FakeSource {
  listener: SourceListener | null = null;

  override start(listener: SourceListener): void {
    this.listener = listener;
  }
}

const topic = 'loyalty.purchases';

function settingsOn(database: FakeOffsets, clock: VirtualClock): Parameters<typeof IngestModule.forRoot>[0] {
  const random = new SystemRandom();
  const [master, mac, quarantine] = [random.bytes(32), random.bytes(32), random.bytes(32)];
  const programs = testPrograms();
  return {
    kafka: {
      connection: () => ({ brokers: [], clientId: 'spec' }),
      ...{ groupId: 'g', startFrom: { kind: 'earliest' }, decompressedBytesMax: 1024 * 1024 },
      topics: { members: 'loyalty.members', purchases: topic, rewards: 'loyalty.rewards' },
      ...{ deadLetterTopic: null, deadLetterValue: 'original' },
    },
    programs: () => programs,
    keys: { members: new MemberKeys(new Keyring([master]), random), mac, quarantine, random },
    ...{ database, clock, random, wake: new LocalWake() },
    ...{ logger: recordingLogger().logger, metrics: recordingMetrics().metrics },
  };
}

describe('the ingest module', () => {
  it('writes chunks by the repository that a test puts in the place of the class', async () => {
    const clock = new VirtualClock();
    const database = new FakeOffsets();
    database.store({ topic, partition: 0, incarnation: 1, next_offset: 40 });
    const source = new ListenedSource();
    const chunks: Parameters<ChunkRepository['record']>[0][] = [];
    const record: ChunkRepository['record'] = async (chunk) => {
      chunks.push(chunk);
      return chunk.parts.map(({ nextOffset }): BatchResult => ({ results: [], intents: 0, nextOffset }));
    };
    const moduleRef = await Test.createTestingModule({
      imports: [IngestModule.forRoot(settingsOn(database, clock))],
    })
      .overrideProvider(KafkaDriver)
      .useValue({ consumer: () => source })
      .overrideProvider(ChunkRepository)
      .useValue({ record })
      .compile();
    moduleRef.get(Ingest).server.listen(() => undefined);
    source.listener?.assigned([{ topic, partition: 0 }]);
    await clock.advance(0);
    const acknowledged: number[] = [];
    const records = [eventRecord({ id: 'e-1', name: 'loyalty.purchase.completed.v1' }, 40)];
    const consumed = moduleRef
      .get(Ingest)
      .batcher.consume(
        { topic, partition: 0, fetchedFrom: 40, nextOffset: 41, highWatermark: 41, records },
        { acknowledge: (offset) => void acknowledged.push(offset), heartbeat: async () => undefined },
      );
    await clock.advance(0);
    await consumed;
    expect(chunks.map(({ parts }) => parts.map((part) => part.records.length))).toEqual([[1]]);
    expect(acknowledged).toEqual([41]);
  });
});
