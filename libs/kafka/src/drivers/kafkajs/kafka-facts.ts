import type { Admin, Kafka } from 'kafkajs';
import { partitionKey, type FactsRequest, type SourceFacts, type Watermarks } from '../../driver.js';

interface FoundTopics {
  readonly existing: readonly string[];
  readonly missing: readonly string[];
}

/** Which of our topics exist. Lists all, because asking for one by name makes some brokers create it. */
export async function findTopics(
  kafka: Kafka,
  wanted: readonly string[],
  { until = null, matches = null }: Looking = {},
): Promise<FoundTopics> {
  const all = new Set(await withAdmin(kafka, (admin) => admin.listTopics(), until));
  const named = new Set(wanted);
  const matching = matches === null ? [] : [...all].filter((topic) => !named.has(topic) && matches(topic)).sort();
  return {
    existing: [...wanted.filter((topic) => all.has(topic)), ...matching],
    missing: wanted.filter((topic) => !all.has(topic)),
  };
}

interface Looking {
  readonly until?: AbortSignal | null;
  /** Whether one that is not named is wanted, too. */
  readonly matches?: ((topic: string) => boolean) | null;
}

/** How many brokers lead partitions of these topics: so many answers may come at once. */
export async function countLeaders(
  kafka: Kafka,
  topics: readonly string[],
  until: AbortSignal | null = null,
): Promise<number> {
  const metadata = await withAdmin(kafka, (admin) => admin.fetchTopicMetadata({ topics: [...topics] }), until);
  const leaders = metadata.topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader));
  return Math.max(1, new Set(leaders).size);
}

/** What a broker is called that does not tell its cluster's id. */
const unknownClusterId = 'unknown';

/**
 * Runs one piece of work on an administrative connection of its own.
 *
 * @param until once it fires the answer is not wanted: what still connects is cut off, and it rejects
 */
export async function withAdmin<T>(
  kafka: Kafka,
  work: (admin: Admin) => Promise<T>,
  until: AbortSignal | null = null,
): Promise<T> {
  until?.throwIfAborted();
  const admin = kafka.admin();
  const disconnect = (): Promise<void> => admin.disconnect().catch(() => undefined);
  const cutOff = (): void => void disconnect();
  until?.addEventListener('abort', cutOff);
  try {
    await admin.connect();
    const answer = await work(admin);
    until?.throwIfAborted();
    return answer;
  } finally {
    until?.removeEventListener('abort', cutOff);
    await disconnect();
  }
}

/** First and next offset of each partition of a topic that exists. */
export async function watermarksOf(admin: Admin, topic: string): Promise<Watermarks[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }));
}

/** Asks the brokers for what decides where partitions begin. */
export async function readFacts(kafka: Kafka, { topics, timeMs }: FactsRequest): Promise<SourceFacts> {
  return withAdmin(kafka, async (admin) => {
    const cluster: { readonly clusterId: string | null } = await admin.describeCluster();
    const watermarks = new Map<string, Watermarks[]>();
    const offsetsAt = new Map<string, number>();
    for (const topic of topics) {
      watermarks.set(topic, await watermarksOf(admin, topic));
      const found = timeMs === null ? [] : await admin.fetchTopicOffsetsByTimestamp(topic, timeMs);
      for (const { partition, offset } of found) offsetsAt.set(partitionKey({ topic, partition }), Number(offset));
    }
    return { clusterId: cluster.clusterId ?? unknownClusterId, watermarks, offsetsAt };
  });
}
