import type { Kafka } from 'kafkajs';
import type { Client } from 'pg';

import type { SqlStatement } from '#platform';
import { withClient } from '#test-support';

import type { LedgerRow, PassRow } from './partner.js';
import { readLedger, readPasses } from './partner.js';
import type { ActRow, ListRow } from './tables.js';
import { actsStatement, listsStatement } from './tables.js';
import type { TopicRecord } from './topics.js';
import { readTopics } from './topics.js';

/** Where a run of real processes is read from, once it is at rest. */
export interface RunSources {
  readonly kafka: Kafka;
  /** Outcomes: null where nobody publishes them. */
  readonly topics: { readonly sources: readonly string[]; readonly outcomes: string | null };
  /** The daemons' own. */
  readonly databaseUrl: string;
  /** The sandbox's own. */
  readonly partnerDatabaseUrl: string;
}

/**
 * What a run has left, as it lies there, read once: what it means each judge says for itself. All of it is in memory; lanes and
 * their truth, which only the checker asks for, it reads page by page.
 */
export interface Run {
  readonly databaseUrl: string;
  readonly records: readonly TopicRecord[];
  readonly outcomes: readonly TopicRecord[] | null;
  readonly ledger: readonly LedgerRow[];
  readonly passes: readonly PassRow[];
  readonly lists: readonly ListRow[];
  readonly acts: readonly ActRow[];
}

export async function readRun({ kafka, topics, databaseUrl, partnerDatabaseUrl }: RunSources): Promise<Run> {
  return {
    databaseUrl,
    records: await readTopics(kafka, topics.sources),
    outcomes: topics.outcomes === null ? null : await readTopics(kafka, [topics.outcomes]),
    ledger: await readLedger(partnerDatabaseUrl),
    passes: await readPasses(partnerDatabaseUrl),
    ...(await withClient(databaseUrl, async (client) => ({
      lists: await rowsOf<ListRow>(client, listsStatement),
      acts: await rowsOf<ActRow>(client, actsStatement),
    }))),
  };
}

export async function rowsOf<Row extends object>(
  client: Client,
  { text }: SqlStatement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row>(text, [...values])).rows;
}
