import type { Kafka } from 'kafkajs';

import { withAdmin } from './kafka-facts.js';

export interface FoundTopics {
  readonly existing: readonly string[];
  readonly missing: readonly string[];
}

/** Which of our topics exist. Lists all, because asking for one by name makes some brokers create it. */
export async function findTopics(kafka: Kafka, wanted: readonly string[]): Promise<FoundTopics> {
  const all = new Set(await withAdmin(kafka, (admin) => admin.listTopics()));
  return {
    existing: wanted.filter((topic) => all.has(topic)),
    missing: wanted.filter((topic) => !all.has(topic)),
  };
}
