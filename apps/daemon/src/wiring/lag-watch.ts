import type { Ingest } from '#ingest';
import { inspectWatermarks } from '#ingest';
import { BackgroundLoop } from '#platform';
import type { Logger } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';
import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { kafkaConnection } from './kafka-connection.js';
import type { Storage } from './storage.js';

/** How often the ends of our partitions are asked for: what does not come in, no batch tells of. */
const lagLookMs = 15_000;

/** Keeps count of what is behind in each of our partitions. */
export function openLagWatch(
  live: Pick<LiveEnvironment, 'current'>,
  ingest: Pick<Ingest, 'standings'>,
  tools: { readonly storage: Storage; readonly metrics: DaemonMetrics; readonly logger: Logger },
): BackgroundLoop {
  const { storage, metrics, logger } = tools;
  const look = async (): Promise<void> => {
    const { kafka } = live.current;
    const topics = [...new Set(ingest.standings().map(({ topic }) => topic))];
    const isIdle = kafka === null || topics.length === 0;
    const ends = isIdle ? new Map<string, never>() : await inspectWatermarks(kafkaConnection(kafka), topics, logger);
    // Where they stand now: records may have come in while the broker was asked.
    const lags = ingest.standings().flatMap(({ topic, partition, standsAt }) => {
      const end = ends.get(topic)?.find((watermarks) => watermarks.partition === partition)?.high;
      return end === undefined ? [] : [{ topic, partition, records: Math.max(0, end - standsAt) }];
    });
    metrics.consumerLags(lags);
  };
  return new BackgroundLoop({
    workOnce: async () => {
      await look();
      return lagLookMs;
    },
    close: async () => undefined,
    complaint: 'how far ingest is behind could not be told',
    clock: storage.clock,
    random: storage.random,
    logger,
  });
}
