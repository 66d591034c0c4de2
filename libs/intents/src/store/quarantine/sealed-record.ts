import type { QuarantineReason } from '#intents/core';
import type { Random, SqlSession, SqlStatement } from '#platform';
import { booleanArray, int4Array, int8Array, seal, SealBrokenError, unseal } from '#platform';

import type { OriginalRecord, RecordingContext } from '../batch/recording.js';
import { readableText, timestamp, timestamps } from '../events/stored-event.js';
import { keptSender, type RecordSender } from './record-sender.js';

const insertStatement: SqlStatement = {
  name: 'insert_quarantine',
  text: `
WITH added AS (
  INSERT INTO quarantine (topic, partition, recorded_at, kafka_offset, last_offset, reason, detail, sealed_key,
    sealed_value, sealed_headers, value_bytes, broker_at, source, store_id, program_id, erased_at, number_key, number_lane_id)
  SELECT w.topic, w.partition, $3::timestamptz, w.first_offset, w.last_offset, w.reason, w.detail, w.key, w.value,
    w.headers, w.value_bytes, w.broker_at, w.source, w.store_id, w.program_id,
    CASE WHEN w.is_withheld THEN $3::timestamptz END, w.number_key, w.number_lane_id
  FROM unnest($1::text[], $2::int[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bytea[], $9::bytea[],
    $10::bytea[], $11::int[], $12::timestamptz[], $14::text[], $15::text[], $16::text[],
    $17::boolean[], $18::bytea[], $19::bigint[])
    AS w (topic, partition, first_offset, last_offset, reason, detail, key, value, headers, value_bytes, broker_at, source,
      store_id, program_id, is_withheld, number_key, number_lane_id)
  RETURNING quarantine_id
)
INSERT INTO dead_letter_outbox (quarantine_id) SELECT quarantine_id FROM added WHERE $13`,
};

export interface RecordToQuarantine {
  readonly original: OriginalRecord;
  readonly reason: QuarantineReason;
  readonly detail: string;
  readonly sender: RecordSender | undefined;
  /** Its bytes are not kept, as an erasure leaves a record: it may be of who is erased. */
  readonly isWithheld?: true;
  /** Null: it tells of no sale or refund, or nothing of it is kept. */
  readonly number: QuarantinedNumber | null;
}

/** The number of a sale or refund that is set aside, and whose it is. */
export interface QuarantinedNumber {
  /** As in `dedup`. */
  readonly key: Uint8Array;
  /** Of the member that it names; null: of none that is known. */
  readonly laneId: number | null;
}

/** What is left of the headers of a record whose bytes are not kept. */
export const noHeaders = '{}';

/** What a quarantined part is bound to. */
export function quarantineContext(part: 'key' | 'value' | 'headers'): Buffer {
  return Buffer.from(`quarantine:${part}`, 'latin1');
}

/**
 * Sets records aside with their original bytes, sealed with the quarantine key, and queues their dead-letter records where
 * such are published.
 */
export async function insertQuarantine(
  session: SqlSession,
  request: {
    readonly records: readonly RecordToQuarantine[];
    readonly context: RecordingContext;
    readonly hasDeadLetters: boolean;
  },
  sealing: { readonly key: Uint8Array; readonly random: Random },
): Promise<void> {
  const { records, context, hasDeadLetters } = request;
  if (records.length === 0) return;
  const sources = records.map(({ original }) => context.sourceOf(original));
  const senders = records.map(({ sender }) => keptSender(sender));
  const sealPart = (part: 'key' | 'value' | 'headers', plain: Uint8Array | string | null): Buffer | null =>
    plain === null ? null : seal({ key: sealing.key, plain, context: quarantineContext(part) }, sealing.random);
  await session.query(insertStatement, [
    sources.map(({ topic }) => topic),
    int4Array(sources.map(({ partition }) => partition)),
    timestamp(context.now),
    int8Array(records.map(({ original }) => original.batch?.firstOffset ?? original.offset)),
    int8Array(records.map(({ original }) => (original.batch === undefined ? null : original.offset))),
    records.map(({ reason }) => reason),
    records.map(({ detail }) => readableText(detail)),
    records.map(({ original, isWithheld }) => sealPart('key', isWithheld ? null : original.key)),
    records.map(({ original, isWithheld }) => sealPart('value', isWithheld ? null : original.value)),
    records.map(({ original, isWithheld }) => sealPart('headers', isWithheld ? noHeaders : original.headersText)),
    int4Array(records.map(({ original }) => original.value?.length ?? 0)),
    timestamps(records.map(({ original }) => original.brokerAt)),
    hasDeadLetters,
    senders.map(({ source }) => source),
    senders.map(({ store }) => store),
    senders.map(({ program }) => program),
    booleanArray(records.map(({ isWithheld }) => isWithheld === true)),
    records.map(({ number }) => number?.key ?? null),
    int8Array(records.map(({ number }) => number?.laneId ?? null)),
  ]);
}

/** SQL: what `openParts` opens. */
export const sealedColumns = 'sealed_key, sealed_value, sealed_headers, value_bytes';

export interface SealedParts {
  readonly sealed_key: Buffer | null;
  readonly sealed_value: Buffer | null;
  readonly sealed_headers: Buffer;
  readonly value_bytes: number;
}

/** A record as it arrived. */
export interface OpenedParts {
  /** Null where there was none, or it cannot be opened any more. */
  readonly key: Uint8Array | null;
  /** `lost`: there was one, and no key opens it any more. */
  readonly value: Uint8Array | null | 'lost';
  /** JSON text of the headers; null where no key opens them any more. */
  readonly headersText: string | null;
}

function openPart(key: Uint8Array, part: 'key' | 'value' | 'headers', sealed: Buffer | null): Buffer | null | 'lost' {
  if (sealed === null) return null;
  try {
    return unseal({ key, sealed, context: quarantineContext(part) });
  } catch (error) {
    if (error instanceof SealBrokenError) return 'lost';
    throw error;
  }
}

function openValue(sealed: SealedParts, quarantineKey: Uint8Array): OpenedParts['value'] {
  const value = openPart(quarantineKey, 'value', sealed.sealed_value);
  // Bytes that were cleared away leave their number behind.
  return value === null && sealed.value_bytes > 0 ? 'lost' : value;
}

/** Opens a quarantined record, as far as its key opens it. */
export function openParts(sealed: SealedParts, quarantineKey: Uint8Array): OpenedParts {
  const key = openPart(quarantineKey, 'key', sealed.sealed_key);
  const headers = openPart(quarantineKey, 'headers', sealed.sealed_headers);
  return {
    key: key === 'lost' ? null : key,
    value: openValue(sealed, quarantineKey),
    headersText: headers === null || headers === 'lost' ? null : headers.toString('utf8'),
  };
}

/** What a record is taken for instead of what arrived; a part that is absent stays as it arrived. */
export interface Correction {
  readonly key?: string;
  /** JSON text of the headers. */
  readonly headersText?: string;
  readonly value?: string;
}

/** A correction belongs to one record. */
function contextOf(quarantineId: number): Buffer {
  return Buffer.from(`quarantine:correction:${quarantineId}`, 'latin1');
}

export function sealCorrection(
  of: { readonly quarantineId: number; readonly correction: Correction },
  sealing: { readonly key: Uint8Array; readonly random: Random },
): Buffer {
  const request = { key: sealing.key, plain: JSON.stringify(of.correction), context: contextOf(of.quarantineId) };
  return seal(request, sealing.random);
}

/** `lost`: no key opens it any more. */
export function openCorrection(
  of: { readonly quarantineId: number; readonly sealed: Uint8Array },
  key: Uint8Array,
): Correction | 'lost' {
  try {
    const plain = unseal({ key, sealed: of.sealed, context: contextOf(of.quarantineId) });
    return JSON.parse(plain.toString('utf8')) as Correction;
  } catch (error) {
    if (error instanceof SealBrokenError) return 'lost';
    throw error;
  }
}

/** The record as it is to be taken. */
export function correctParts(parts: OpenedParts, { key, headersText, value }: Correction): OpenedParts {
  return {
    key: key === undefined ? parts.key : Buffer.from(key),
    headersText: headersText ?? parts.headersText,
    value: value === undefined ? parts.value : Buffer.from(value),
  };
}
