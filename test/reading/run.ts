import type { Kafka } from 'kafkajs';
import type { Client } from 'pg';

import { contextOf } from '#intents';
import type { SqlStatement } from '#platform';
import { Keyring } from '#platform';
import { withClient } from '#test-support';

import { ErasedNames } from './erased-names.js';
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
  /** As `LOYALTYD_ENCRYPTION_KEY`; null: nobody is erased. */
  readonly encryptionKey: string | null;
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
  /** Whose the names of erased members in all this are: in lists, acts and outcomes it is done. */
  readonly names: ErasedNames;
}

export async function readRun({ kafka, topics, partnerDatabaseUrl, ...sources }: RunSources): Promise<Run> {
  const { databaseUrl, encryptionKey } = sources;
  const records = await readTopics(kafka, topics.sources);
  return withClient(databaseUrl, async (client) => {
    const names = await namesIn(client, records, encryptionKey);
    const told = topics.outcomes === null ? null : await readTopics(kafka, [topics.outcomes]);
    return {
      ...{ databaseUrl, records, names },
      outcomes: told?.map((record) => withNames(record, names)) ?? null,
      ledger: await readLedger(partnerDatabaseUrl),
      passes: await readPasses(partnerDatabaseUrl),
      lists: names.inRows(await rowsOf<ListRow>(client, listsStatement)),
      acts: names.inRows(await rowsOf<ActRow>(client, actsStatement)),
    };
  });
}

async function namesIn(
  client: Client,
  records: readonly TopicRecord[],
  encryptionKey: string | null,
): Promise<ErasedNames> {
  if (encryptionKey === null) return new ErasedNames(new Uint8Array(), []);
  const [row] = (await client.query<{ wrapped: Buffer }>('SELECT wrapped_mac_key AS wrapped FROM installation')).rows;
  const keyring = new Keyring(encryptionKey.split(',').map((key) => Buffer.from(key, 'base64')));
  const macKey = keyring.unwrap(
    row?.wrapped ?? new Uint8Array(),
    contextOf({ column: 'installation.wrapped_mac_key' }),
  );
  return new ErasedNames(
    macKey,
    records.map(({ message: { value } }) => value?.toString('utf8') ?? ''),
  );
}

function withNames({ message, ...place }: TopicRecord, names: ErasedNames): TopicRecord {
  const { value } = message;
  return {
    ...place,
    message: { ...message, value: value === null ? null : Buffer.from(names.inText(value.toString('utf8'))) },
  };
}

export async function rowsOf<Row extends object>(
  client: Client,
  { text }: SqlStatement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row>(text, [...values])).rows;
}
