import type { IngestSettings } from '#events/ingest';
import type { Ownership } from '#intents';
import type { ShardClaim } from '#kafka';

import type { Configuration } from '../environment/configuration.module.js';
import type { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import type { KafkaAccess } from './kafka-access.js';

/** What this database says of itself in the group of its shop. */
function claimOf({ shard, epoch, here: place }: Ownership): ShardClaim | null {
  return shard === null ? null : { ...shard, place, epoch };
}

/** Ingest on the daemon's storage and Kafka. */
export function ingestSettings(
  { environment, programs, sources }: Configuration,
  { database, keys, clock, random, ownership }: Storage,
  { wake, logger, metrics, tracer }: Platform,
  access: KafkaAccess,
): IngestSettings {
  const { kafka } = environment;
  if (kafka === null) throw new Error('Kafka must be configured');
  const { members, purchases, rewards, deadLetter } = kafka.topics;
  return {
    kafka: {
      connection: () => access.connection(),
      groupId: kafka.groupId,
      startFrom: kafka.startFrom,
      topics: { members, purchases, rewards },
      deadLetterTopic: deadLetter,
      deadLetterValue: kafka.deadLetterValue,
      decompressedBytesMax: kafka.decompressedBytesMax,
      shard: claimOf(ownership),
    },
    programs: () => programs.current,
    sources,
    ...{ database, keys, clock, random, wake, logger, metrics: metrics.ingest, tracer },
  };
}
