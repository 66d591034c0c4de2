import type { QuarantineReason } from '#intents/core';
import type { Random, SealContext, SqlSession, SqlStatement } from '#platform';
import { booleanArray, int4Array, int8Array, jsonbArray, seal, SealBrokenError, unseal } from '#platform';

import type { OriginalRecord, PersonsNamed, RecordingContext } from '../batch/recording.js';
import { readableText, timestamp, timestamps } from '../events/stored-event.js';
import type { QuarantinePlace } from '../keys/seal-place.js';
import { contextOf } from '../keys/seal-place.js';
import { personDigests } from './person-digests.js';
import type { RecordNames } from './record-names.js';
import { nameDigests, namesOfRecord } from './record-names.js';
import { keptSender, type RecordSender } from './record-sender.js';

const insertStatement: SqlStatement = {
  name: 'insert_quarantine',
  text: `
WITH added AS (
  INSERT INTO quarantine (topic, partition, recorded_at, kafka_offset, last_offset, reason, detail, sealed_headers,
    value_bytes, broker_at, source, store_id, program_id, erased_at, number_key, number_lane_id, cause, amount, currency)
  SELECT w.topic, w.partition, $3::timestamptz, w.first_offset, w.last_offset, w.reason, w.detail, ''::bytea,
    w.value_bytes, w.broker_at, w.source, w.store_id, w.program_id,
    CASE WHEN w.is_withheld THEN $3::timestamptz END, w.number_key, w.number_lane_id, w.cause, w.amount, w.currency
  FROM unnest($1::text[], $2::int[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::int[], $9::timestamptz[],
    $11::text[], $12::text[], $13::text[], $14::boolean[], $15::bytea[], $16::bigint[], $17::text[], $18::numeric[],
    $19::text[])
    WITH ORDINALITY AS w (topic, partition, first_offset, last_offset, reason, detail, value_bytes, broker_at, source,
      store_id, program_id, is_withheld, number_key, number_lane_id, cause, amount, currency, ordinal)
  ORDER BY w.ordinal
  RETURNING quarantine_id
), letters AS (
  INSERT INTO dead_letter_outbox (quarantine_id) SELECT quarantine_id FROM added WHERE $10
)
SELECT quarantine_id AS id FROM added ORDER BY 1`,
};

/** The bytes follow in the same transaction: they are bound to the number, which the database gives. */
const fillStatement: SqlStatement = {
  name: 'fill_quarantine',
  text: `
UPDATE quarantine q SET sealed_key = w.key, sealed_value = w.value, sealed_headers = w.headers,
  person_macs = w.person_macs, person_programs = w.person_programs
FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::jsonb[])
  AS w (id, key, value, headers, person_macs, person_programs)
WHERE q.quarantine_id = w.id`,
};

const insertNamesStatement: SqlStatement = {
  name: 'insert_quarantine_names',
  text: `
INSERT INTO quarantine_name (name_mac, quarantine_id) SELECT DISTINCT name_mac, id FROM unnest($1::bytea[], $2::bigint[]) AS w (name_mac, id)`,
};

/** Persons of one record in a source's own shape by whom it is found; an erasure finds it by all of them. */
const personsFoundMax = 64;

const causeCharsMax = 256;

/** What the details of records have in common that were refused by one rule at one path: which of its lines it was is none of it. */
export function causeOf(detail: string): string {
  const rule = detail.replace(/^event \d+ of \d+: /, '').replaceAll(/\d+/g, '#');
  return readableText(rule.slice(0, causeCharsMax).toWellFormed());
}

export interface RecordToQuarantine {
  readonly original: OriginalRecord;
  readonly reason: QuarantineReason;
  readonly detail: string;
  readonly sender: RecordSender | undefined;
  /** Its bytes are not kept, as an erasure leaves a record: it may be of who is erased. */
  readonly isWithheld?: true;
  /** Absent: it is an event of ours, or nothing of it is kept. */
  readonly persons?: PersonsNamed;
  /** What a map has made of it, where that was refused. */
  readonly eventText?: string;
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

type Part = 'key' | 'value' | 'headers';

type Sealing = { readonly key: Uint8Array; readonly random: Random };

/** What a quarantined part is bound to. */
const partContext = (part: Part, place: QuarantinePlace): SealContext =>
  contextOf({ ...placeOf(place), column: `quarantine.sealed_${part}` });

const placeOf = ({ quarantineId, topic, partition, lastOffset }: QuarantinePlace): QuarantinePlace => ({
  ...{ quarantineId, topic, partition, lastOffset },
});

/** What is left of the headers of a record whose bytes are not kept, sealed. */
export function sealNoHeaders(place: QuarantinePlace, { key, random }: Sealing): Buffer {
  return seal({ key, plain: noHeaders, context: partContext('headers', place) }, random);
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
  sealing: Sealing & { readonly mac: Uint8Array },
): Promise<void> {
  const { records, context, hasDeadLetters } = request;
  if (records.length === 0) return;
  const sources = records.map(({ original }) => context.sourceOf(original));
  const senders = records.map(({ sender }) => keptSender(sender));
  const { rows } = await session.query<{ id: number }>(insertStatement, [
    sources.map(({ topic }) => topic),
    int4Array(sources.map(({ partition }) => partition)),
    timestamp(context.now),
    int8Array(records.map(({ original }) => original.batch?.firstOffset ?? original.offset)),
    int8Array(records.map(lastOffsetOf)),
    records.map(({ reason }) => reason),
    records.map(({ detail }) => readableText(detail)),
    int4Array(records.map(({ original }) => original.value?.length ?? 0)),
    timestamps(records.map(({ original }) => original.brokerAt)),
    hasDeadLetters,
    senders.map(({ source }) => source),
    senders.map(({ store }) => store),
    senders.map(({ program }) => program),
    booleanArray(records.map(({ isWithheld }) => isWithheld === true)),
    records.map(({ number }) => number?.key ?? null),
    int8Array(records.map(({ number }) => number?.laneId ?? null)),
    records.map(({ detail }) => causeOf(detail)),
    records.map(({ sender }) => sender?.stake?.amount ?? null),
    records.map(({ sender }) => sender?.stake?.currency ?? null),
  ]);
  const ids = rows.map(({ id }) => id);
  const sealed = records.map((record, index) => {
    const { topic, partition } = context.sourceOf(record.original);
    const lastOffset = lastOffsetOf(record);
    return sealParts(record, { quarantineId: ids[index] ?? NaN, topic, partition, lastOffset }, sealing);
  });
  await session.query(fillStatement, [
    int8Array(ids),
    sealed.map((parts) => parts.key),
    sealed.map((parts) => parts.value),
    sealed.map((parts) => parts.headers),
    records.map(({ persons }) => (persons === undefined ? null : personDigests(sealing.mac, persons.names()))),
    jsonbArray(records.map(({ persons }) => (persons?.programs ? JSON.stringify(persons.programs) : null))),
  ]);
  await insertNames(session, ids, { records, mac: sealing.mac });
}

/** By which each is found while its bytes are there. */
async function insertNames(
  session: SqlSession,
  ids: readonly number[],
  { records, mac }: { readonly records: readonly RecordToQuarantine[]; readonly mac: Uint8Array },
): Promise<void> {
  const named = records.flatMap((record, index) =>
    namesToKeep(record).flatMap((names) => nameDigests(mac, names).map((name) => ({ id: ids[index] ?? NaN, name }))),
  );
  if (named.length === 0) return;
  await session.query(insertNamesStatement, [named.map(({ name }) => name), int8Array(named.map(({ id }) => id))]);
}

/** Of a whole batch, and of what is withheld, nothing is read. */
function namesToKeep({ original, isWithheld, eventText, persons }: RecordToQuarantine): readonly RecordNames[] {
  if (isWithheld || original.batch !== undefined) return [];
  const { key, value, headersText } = original;
  const text = eventText ?? (value === null ? '' : Buffer.from(value).toString('utf8'));
  const read = namesOfRecord({ key, text, headersText });
  return persons === undefined ? [read] : [read, { members: persons.names().slice(0, personsFoundMax), numbers: [] }];
}

const lastOffsetOf = ({ original }: RecordToQuarantine): number | null =>
  original.batch === undefined ? null : original.offset;

function sealParts(
  { original, isWithheld }: RecordToQuarantine,
  place: QuarantinePlace,
  { key, random }: Sealing,
): Readonly<Record<Part, Buffer | null>> {
  const sealPart = (part: Part, plain: Uint8Array | string | null): Buffer | null =>
    plain === null ? null : seal({ key, plain, context: partContext(part, place) }, random);
  return {
    key: sealPart('key', isWithheld ? null : original.key),
    value: sealPart('value', isWithheld ? null : original.value),
    headers: sealPart('headers', isWithheld ? noHeaders : original.headersText),
  };
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

function openPart(sealed: Buffer | null, context: SealContext, key: Uint8Array): Buffer | null | 'lost' {
  if (sealed === null) return null;
  try {
    return unseal({ key, sealed, context });
  } catch (error) {
    if (error instanceof SealBrokenError) return 'lost';
    throw error;
  }
}

function openValue(sealed: SealedParts, place: QuarantinePlace, quarantineKey: Uint8Array): OpenedParts['value'] {
  const value = openPart(sealed.sealed_value, partContext('value', place), quarantineKey);
  // Bytes that were cleared away leave their number behind.
  return value === null && sealed.value_bytes > 0 ? 'lost' : value;
}

/** Opens a quarantined record, as far as its key opens it: bytes of another row do not open. */
export function openParts(sealed: SealedParts, place: QuarantinePlace, quarantineKey: Uint8Array): OpenedParts {
  const key = openPart(sealed.sealed_key, partContext('key', place), quarantineKey);
  const headers = openPart(sealed.sealed_headers, partContext('headers', place), quarantineKey);
  return {
    key: key === 'lost' ? null : key,
    value: openValue(sealed, place, quarantineKey),
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
const correctionContext = (quarantineId: number): SealContext =>
  contextOf({ column: 'quarantine_settlement.sealed_correction', quarantineId });

export function sealCorrection(
  of: { readonly quarantineId: number; readonly correction: Correction },
  sealing: Sealing,
): Buffer {
  const { key, random } = sealing;
  const plain = JSON.stringify(of.correction);
  return seal({ key, plain, context: correctionContext(of.quarantineId) }, random);
}

/** `lost`: no key opens it any more. */
export function openCorrection(
  of: { readonly quarantineId: number; readonly sealed: Uint8Array },
  key: Uint8Array,
): Correction | 'lost' {
  try {
    const plain = unseal({ key, sealed: of.sealed, context: correctionContext(of.quarantineId) });
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
