import type { TopicNames } from '#contracts';
import type { KafkaConnection, Watermarks } from '#ingest';
import { inspectWatermarks } from '#ingest';
import type { IngestedPosition } from '#intents';
import { listPositions } from '#intents';
import type { Logger } from '#platform';

import type { Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, skipped, troublesOr, warning } from '../finding.js';
import { concludeMs } from '../limits.js';
import type { Store } from '../postgres/check-schema.js';
import type { Topics } from './check-topics.js';
import { sourceTopics } from './check-topics.js';
import { told } from './told.js';

const name = 'kafka.lag';
/** Some minutes of work even where ingest is slow. */
const lagRecordsMax = 100_000;

interface Place extends Watermarks {
  readonly topic: string;
  /** Undefined: never consumed. */
  readonly stored: number | undefined;
}

export type TopicWatermarks = ReadonlyMap<string, readonly Watermarks[]>;

function placesOf(watermarks: TopicWatermarks, positions: readonly IngestedPosition[]): readonly Place[] {
  return [...watermarks].flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({
      ...partition,
      topic,
      stored: positions.find((position) => position.topic === topic && position.partition === partition.partition)
        ?.nextOffset,
    })),
  );
}

function lagOf({ stored, low, high }: Place): number {
  return Math.max(0, high - Math.max(low, stored ?? low));
}

function judgePlace({ topic, partition, stored, low, high }: Place): readonly Finding[] {
  const at = `kafka.gap.${topic}/${partition}`;
  if (stored === undefined) return [];
  if (stored < low) {
    return [
      failed(at, {
        detail: `the records from ${stored} up to ${low} were deleted before we read them; this partition stands still`,
        remedy: `Can they be produced again? If not: loyaltyd accept-gap ${topic}/${partition} --reason "..." lets it go on without them.`,
      }),
    ];
  }
  if (stored <= high) return [];
  const detail = `we have read up to ${stored}, but it ends at ${high}: created anew, or another cluster`;
  const remedy =
    'If the topic was created anew, nothing is to be done: it is read from its beginning. Else KAFKA_BROKERS is wrong: stop.';
  return [warning(at, { detail, remedy })];
}

function judgeLag(places: readonly Place[]): Finding {
  const byTopic = Map.groupBy(places, ({ topic }) => topic);
  const lags = [...byTopic].map(([topic, own]) => [topic, own.reduce((sum, place) => sum + lagOf(place), 0)] as const);
  const total = lags.reduce((sum, [, lag]) => sum + lag, 0);
  const fresh = places.filter(({ stored }) => stored === undefined).length;
  const detail = [
    ...lags.map(([topic, lag]) => `${topic} ${lag} behind`),
    ...(fresh > 0 ? [`${fresh} of ${places.length} partitions never consumed yet`] : []),
  ].join(', ');
  if (total <= lagRecordsMax) return ok(name, detail);
  const remedy =
    'Does ingest run, and does loyaltyd_consumer_lag fall? If it grows: more partitions and processes, or look at Postgres.';
  return warning(name, { detail, remedy });
}

/** Where we stand in the topics. Our own stored offsets count: what Kafka keeps for the group is a hint. */
export function judgePositions(
  watermarks: TopicWatermarks,
  positions: readonly IngestedPosition[],
): readonly Finding[] {
  const places = placesOf(watermarks, positions);
  if (places.length === 0) return [skipped(name, 'there are no topics')];
  return [judgeLag(places), ...troublesOr(places.flatMap(judgePlace), ok('kafka.gap', 'no partition stands still'))];
}

/** Lag and gaps of what is consumed. */
export function checkPositions(
  examination: Examination,
  built: {
    readonly connection: Step<KafkaConnection>;
    readonly topics: Step<Topics>;
    readonly store: Step<Store>;
  },
  { names, logger }: { readonly names: TopicNames; readonly logger: Logger },
): void {
  const plan = {
    name,
    timeoutMs: concludeMs,
    remedy: 'The brokers are slow to tell offsets: look at their logs, then try again.',
  };
  const reached = examination.both(built.connection, built.topics);
  examination.after(examination.both(reached, built.store), plan, ([[connection, topics], { database }]) =>
    told(name, async () => {
      const present = sourceTopics(names).filter((topic) => topics.has(topic));
      const [watermarks, positions] = await Promise.all([
        inspectWatermarks(connection, present, logger),
        listPositions(database),
      ]);
      return { findings: judgePositions(watermarks, positions), value: null };
    }),
  );
}
