import type { BackgroundLoop } from '#platform';
import { recordFingerprint } from '#intents';

import type { DeadLetterSink } from './dead-letters/dead-letter-sink.js';
import { deadLetterPublisher } from './dead-letters/dead-letter-publisher.js';
import { KafkaDeadLetterSink } from './dead-letters/kafka-dead-letter-sink.js';
import { erasureFinisher } from './erasures.js';
import type { IngestSettings } from './ingest-settings.js';
import type { StallQuestion } from './ingest-stalls.js';
import { ingestStalls } from './ingest-stalls.js';
import { ChunkRecorder } from './loop/chunk-recorder.js';
import { IngestLoop } from './loop/ingest-loop.js';
import type { Standing } from './positions/positions.js';
import { Positions } from './positions/positions.js';
import { installationName } from './source/kafka/installation-name.js';
import { KafkaSource } from './source/kafka/kafka-source.js';
import type { FetchedRecord, Source } from './source/source.js';
import { KafkaBatchServer } from './transport/kafka-batch-server.js';
import type { SourceName } from './transport/source-patterns.js';
import { sourcePatterns } from './transport/source-patterns.js';

/** The parts of ingest, wired but not started. */
export interface Ingest {
  readonly loop: IngestLoop;
  readonly server: KafkaBatchServer;
  /** `null` when dead letters are switched off. */
  readonly deadLetters: BackgroundLoop | null;
  readonly erasures: BackgroundLoop;
  /** When the source last made progress, on the monotonic clock. */
  readonly lastProgressAt: () => number;
  /** For liveness: what stands still although it could move. */
  readonly stalls: (question: StallQuestion) => string[];
  /** Where our partitions stand: those that are placed, or held at a gap. */
  readonly standings: () => readonly Standing[];
}

/** The outside, where a simulation puts its own. */
export interface IngestPorts {
  readonly source: Source;
  readonly deadLetterSink: DeadLetterSink | null;
}

/** The ports on Kafka. */
export function createKafkaPorts({ kafka, keys, clock, random, logger }: IngestSettings): IngestPorts {
  const { connection, groupId, deadLetterTopic, deadLetterValue, decompressedBytesMax } = kafka;
  const topics = Object.values(kafka.topics);
  const source = new KafkaSource(
    { connection, groupId, installation: installationName(keys.mac), topics, decompressedBytesMax },
    { clock, random, logger },
  );
  if (deadLetterTopic === null) return { source, deadLetterSink: null };
  const sinkSettings = { connection, topic: deadLetterTopic, value: deadLetterValue };
  return { source, deadLetterSink: new KafkaDeadLetterSink(sinkSettings, { clock, logger }) };
}

function patternsOf(topics: Readonly<Record<SourceName, string>>): Map<string, string> {
  return new Map(Object.entries(topics).map(([name, topic]) => [topic, sourcePatterns[name as SourceName]]));
}

/** Wires ingest on the given ports, by default those on Kafka. */
export function createIngest(settings: IngestSettings, ports: IngestPorts = createKafkaPorts(settings)): Ingest {
  const { clock, random, logger, metrics, database, keys } = settings;
  const { source, deadLetterSink: sink } = ports;
  const deadLetters =
    sink === null
      ? null
      : deadLetterPublisher({ database, quarantineKey: keys.quarantine, sink, clock, random, logger });
  const fingerprint = (record: FetchedRecord): Uint8Array => recordFingerprint(record, keys.mac);
  const tools = { source, database, clock, random, logger, metrics, fingerprint };
  const positions = new Positions(tools, settings.kafka.startFrom);
  const hasDeadLetters = deadLetters !== null;
  const recorder = new ChunkRecorder({ ...settings, hasDeadLetters, onQuarantined: () => deadLetters?.nudge() });
  const loop = new IngestLoop({ recorder, positions, clock, random, logger }, metrics);
  const server = new KafkaBatchServer({ source, positions, loop, patterns: patternsOf(settings.kafka.topics) });
  const erasures = erasureFinisher({ database, clock, random, logger });
  const stalls = (question: StallQuestion): string[] => ingestStalls({ source, loop, positions }, question);
  const lastProgressAt = (): number => source.lastProgressAt();
  const standings = (): readonly Standing[] => positions.standings;
  return { loop, server, deadLetters, erasures, lastProgressAt, stalls, standings };
}
