import type { KafkaEnvironment } from '#contracts';
import type { CommittedOffset, KafkaConnection } from '#ingest';
import { inspectCommitted, kafkaTrouble } from '#ingest';
import type { IngestedPosition, RecoveryStatus } from '#intents';
import { findRecovery, listPositions } from '#intents';
import type { Logger } from '#platform';

import type { Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, warning } from '../finding.js';
import { concludeMs } from '../limits.js';
import type { Store } from '../postgres/check-schema.js';
import type { Topics } from './check-topics.js';
import { sourceTopics } from './check-topics.js';
import { told } from './told.js';

const name = 'kafka.forgotten';

/** What Kafka knows of our group, the database knows first: only a database that has lost something knows less. */
export function judgeCommitted(
  committed: readonly CommittedOffset[],
  positions: readonly IngestedPosition[],
  recovery: RecoveryStatus | null,
): Finding {
  const ahead = committed.filter(({ topic, partition, nextOffset }) => {
    const stored = positions.find((position) => position.topic === topic && position.partition === partition);
    return stored !== undefined && nextOffset > stored.nextOffset;
  });
  const [first] = ahead;
  if (first === undefined) return ok(name, 'the database knows of everything that our group consumed');
  const detail =
    `our group has consumed ${ahead.length} partitions further than the database knows, ${first.topic}/${first.partition} up to ` +
    `${first.nextOffset}: what was sent since is forgotten`;
  if (recovery !== null) {
    return warning(name, { detail, remedy: 'It is read again, as it should be after a restore: docs/restore.md.' });
  }
  const remedy =
    'Was the database restored? Do not just start: `loyaltyd start --recovered-from TIME`, see docs/restore.md. Else another ' +
    'database has used this KAFKA_GROUP_ID, or a topic of that name was deleted.';
  return failed(name, { detail, remedy });
}

/** A cluster that has never had a group has no coordinator: nothing was committed. */
async function committedOf(...asked: Parameters<typeof inspectCommitted>): Promise<readonly CommittedOffset[]> {
  try {
    return await inspectCommitted(...asked);
  } catch (error) {
    if (kafkaTrouble(error).kind === 'no-coordinator') return [];
    throw error;
  }
}

/** Whether Kafka remembers more of our group than the database does. */
export function checkRestored(
  examination: Examination,
  built: {
    readonly connection: Step<KafkaConnection>;
    readonly topics: Step<Topics>;
    readonly store: Step<Store>;
  },
  { kafka, logger }: { readonly kafka: KafkaEnvironment; readonly logger: Logger },
): void {
  const remedy = 'The group’s coordinator is slow: look at the brokers’ logs, then try again.';
  const reached = examination.both(built.connection, built.topics);
  const plan = { name, timeoutMs: concludeMs, remedy };
  examination.after(examination.both(reached, built.store), plan, ([[connection, topics], { database }]) =>
    told(name, async () => {
      const present = sourceTopics(kafka.topics).filter((topic) => topics.has(topic));
      // In this order: what is consumed in between makes the database know more, not less.
      const committed = await committedOf(connection, { groupId: kafka.groupId, topics: present }, logger);
      const [positions, recovery] = [await listPositions(database), await findRecovery(database)];
      return { findings: [judgeCommitted(committed, positions, recovery)], value: null };
    }),
  );
}
