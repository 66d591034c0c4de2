import type { Database, SqlSession, SqlStatement } from '#platform';

import type { SealedParts } from './sealed-record.js';
import { openParts, sealedColumns } from './sealed-record.js';

/** A quarantined record that must still reach the dead-letter topic, opened. */
export interface DeadLetter {
  readonly quarantineId: number;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Epoch ms. */
  readonly brokerAt: number;
  /** Set: the value is a whole record batch, for its records from `offset` to this one. */
  readonly lastOffset: number | null;
  readonly reason: string;
  readonly detail: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** JSON text of the original headers. */
  readonly headersText: string;
  /** A part could not be opened any more: its key is gone. */
  readonly isUnreadable: boolean;
}

const loadStatement: SqlStatement = {
  name: 'load_dead_letters',
  text: `
SELECT quarantine_id, topic, partition, kafka_offset, broker_at, last_offset, reason, detail, ${sealedColumns}
FROM quarantine WHERE quarantine_id = ANY ($1::bigint[]) ORDER BY quarantine_id`,
};

interface QuarantineRow extends SealedParts {
  readonly quarantine_id: number;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly broker_at: number;
  readonly last_offset: number | null;
  readonly reason: string;
  readonly detail: string;
}

/** What no key opens any more is left out: the letter must go out all the same. */
function toLetter(row: QuarantineRow, quarantineKey: Uint8Array): DeadLetter {
  const { quarantine_id: quarantineId, topic, partition, last_offset: lastOffset } = row;
  const { key, value, headersText } = openParts(row, { quarantineId, topic, partition, lastOffset }, quarantineKey);
  return {
    quarantineId: row.quarantine_id,
    topic: row.topic,
    partition: row.partition,
    offset: row.kafka_offset,
    brokerAt: row.broker_at,
    lastOffset: row.last_offset,
    reason: row.reason,
    detail: row.detail,
    key,
    value: value === 'lost' ? null : value,
    headersText: headersText ?? '{}',
    isUnreadable: headersText === null || value === 'lost',
  };
}

/** Reads and opens quarantined records, in the order of their ids. */
export async function loadDeadLetters(
  session: SqlSession,
  quarantineIds: readonly number[],
  quarantineKey: Uint8Array,
): Promise<DeadLetter[]> {
  const { rows } = await session.query<QuarantineRow>(loadStatement, [quarantineIds]);
  return rows.map((row) => toLetter(row, quarantineKey));
}

export interface PublishDeadLetters {
  /** Together at most so large, but always at least one. */
  readonly bytesMax: number;
  readonly quarantineKey: Uint8Array;
  /** Resolves once the broker has all of them; must be bounded in time, for the transaction is open meanwhile. */
  readonly send: (letters: readonly DeadLetter[]) => Promise<void>;
}

/**
 * Publishes the oldest dead letters at least once, in one transaction around `send`: the row locks keep other replicas
 * from publishing the same ones, and a crash between the broker's acknowledgement and the commit sends them again.
 * Holding a transaction open for a send is bearable here and only here: it locks nothing but outbox rows, it is
 * bounded, and dead letters are rare.
 * @returns how many were published; 0 when none is left
 * @throws whatever `send` throws; the rows then stay
 */
export async function publishDeadLetters(database: Database, request: PublishDeadLetters): Promise<number> {
  return database.transaction('publish_dead_letters', async (session) => {
    const ids = await lockDeadLetters(session, request.bytesMax);
    if (ids.length === 0) return 0;
    await request.send(await loadDeadLetters(session, ids, request.quarantineKey));
    await deleteDeadLetters(session, ids);
    return ids.length;
  });
}

/** Dead letters of one transaction, at most. */
const deadLetterBatchMax = 100;

const lockStatement: SqlStatement = {
  name: 'lock_dead_letters',
  text: `
SELECT o.quarantine_id, q.value_bytes + octet_length(q.sealed_headers) + COALESCE(octet_length(q.sealed_key), 0) AS bytes
FROM dead_letter_outbox o JOIN quarantine q ON q.quarantine_id = o.quarantine_id
ORDER BY o.quarantine_id LIMIT ${deadLetterBatchMax}
FOR UPDATE OF o SKIP LOCKED`,
};

/**
 * Takes the oldest dead letters that nobody else is publishing, as many as fit into `bytesMax`, but at least one.
 * They are ours until the transaction ends.
 */
async function lockDeadLetters(session: SqlSession, bytesMax: number): Promise<number[]> {
  const { rows } = await session.query<{ quarantine_id: number; bytes: number }>(lockStatement);
  let bytes = 0;
  const fitting = rows.filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= bytesMax;
  });
  return fitting.map((row) => row.quarantine_id);
}

const deleteStatement: SqlStatement = {
  name: 'delete_dead_letters',
  text: 'DELETE FROM dead_letter_outbox WHERE quarantine_id = ANY ($1::bigint[])',
};

/** The broker has them: nothing is left to publish. The quarantine rows stay. */
async function deleteDeadLetters(session: SqlSession, quarantineIds: readonly number[]): Promise<void> {
  await session.query(deleteStatement, [quarantineIds]);
}
