import { parseRfc3339, readJson } from '#contracts';

import { contentType, headerText, isJsonMediaType } from './record-headers.js';
import type { SourceRecord } from './source-record.js';

/** Events from before this century are a till whose clock was reset. */
const eventTimeMinMs = Date.UTC(2000, 0, 1);

/**
 * How far ahead of us a till's clock may be: an hour of daylight saving that it missed, and five minutes of drift. Beyond that
 * it is the date or the time zone that is wrong, and the sale would stand on another day.
 */
const eventTimeAheadMaxMs = 65 * 60 * 1000;

type EventTime = { readonly ok: true; readonly timeMs: number } | { readonly ok: false; readonly rule: string };

/** An event's time in epoch milliseconds, or the rule of contracts.md section 1 that it breaks. */
export function readEventTime(time: unknown, nowMs: number): EventTime {
  if (time === undefined || time === null) return { ok: false, rule: 'required' };
  const timeMs = typeof time === 'string' ? parseRfc3339(time) : null;
  if (timeMs === null) return { ok: false, rule: 'must be an RFC 3339 date-time with offset' };
  if (timeMs < eventTimeMinMs) return { ok: false, rule: 'must not be before the year 2000' };
  if (timeMs > nowMs + eventTimeAheadMaxMs) return { ok: false, rule: 'must not be more than 65 minutes ahead' };
  return { ok: true, timeMs };
}

/** The attributes this service reads; others are the producer's business. `null` means unset (CloudEvents JSON 3.1). */
const ATTRIBUTES = ['specversion', 'id', 'source', 'type', 'subject', 'time', 'sequence', 'traceparent'] as const;
type AttributeName = (typeof ATTRIBUTES)[number];
export type Attributes = Readonly<Partial<Record<AttributeName, unknown>>>;

/** A CloudEvent taken out of its record, nothing of it checked yet. */
export type Envelope =
  | {
      readonly kind: 'envelope';
      readonly attributes: Attributes;
      readonly data: unknown;
      /** Paths from the event to numbers that are not the ones that were sent. */
      readonly lossy: readonly (readonly PropertyKey[])[];
    }
  | { readonly kind: 'tombstone' }
  | { readonly kind: 'unreadable'; readonly detail: string };

const structured = 'application/cloudevents';
const batch = 'application/cloudevents-batch+json';
const noHeaders = {};
/** Each of our dead letters carries it; one that was copied back into a source topic without its value is no tombstone. */
const deadLetterHeader = 'x-original-topic';

/** Of one batch: they are recorded together. */
const batchEventsMax = 1_000;
/** So many are named of a whole record; beyond that it is not known which event holds another. */
const lossyPlacesMax = 10;

type Unread = Omit<SourceRecord, 'now'>;

/**
 * CloudEvents' Kafka protocol binding 1.0.2, section 3: structured when `content-type` begins with
 * `application/cloudevents`, binary otherwise. Besides, as many writers send them: a structured event without that header, and a
 * batch of the JSON format. A batch of several is refused here; `readEnvelopes` reads it.
 */
export function readEnvelope(record: Unread): Envelope {
  const [envelope, ...others] = readEnvelopes(record);
  if (envelope === undefined || others.length > 0) return unreadable('value: several events where one is read');
  return envelope;
}

/** What a record holds, in its order: one envelope, or those of a batch. Never empty. */
export function readEnvelopes({ value, headers = noHeaders }: Unread): readonly Envelope[] {
  if (value === null) return [withoutValue(headers)];
  const mediaType = contentType(headers);
  const envelopes = mediaType === batch ? readBatch(value) : [readOne(value, headers, mediaType)];
  return envelopes.map((envelope) => withTraceHeader(envelope, headers));
}

function withoutValue(headers: NonNullable<SourceRecord['headers']>): Envelope {
  const isDeadLetter = Object.hasOwn(headers, deadLetterHeader);
  return isDeadLetter
    ? unreadable('value: left out of this dead letter; resubmit the original')
    : { kind: 'tombstone' };
}

function readOne(value: Uint8Array, headers: NonNullable<SourceRecord['headers']>, mediaType: string): Envelope {
  if (mediaType === `${structured}+json`) return readStructured(value);
  if (mediaType.startsWith(structured)) return unreadable('content-type: only application/cloudevents+json is read');
  return readBinary(value, headers, mediaType);
}

function readBatch(value: Uint8Array): readonly Envelope[] {
  const json = readJson(value);
  if (!json.ok) return [unreadable(`value: ${json.detail}`)];
  const { value: events, lossy } = json;
  if (!Array.isArray(events)) return [unreadable('value: not a list of CloudEvents')];
  if (events.length > batchEventsMax) return [unreadable(`value: more than ${batchEventsMax} events`)];
  if (lossy.length >= lossyPlacesMax) return [unreadable(`value: ${lossyPlacesMax} or more numbers that lose digits`)];
  // It asks for nothing.
  if (events.length === 0) return [{ kind: 'tombstone' }];
  return events.map((event: unknown, index) => {
    const own = lossy.filter(([at]) => String(at) === String(index)).map((path) => path.slice(1));
    return readEvent(event, own, `value[${index}]`);
  });
}

/** Instrumented producers put the trace's context beside the event, not into it. */
function withTraceHeader(envelope: Envelope, headers: NonNullable<SourceRecord['headers']>): Envelope {
  if (envelope.kind !== 'envelope' || isSet(envelope.attributes.traceparent)) return envelope;
  const traceparent = headerText(headers, 'traceparent');
  return isSet(traceparent) ? { ...envelope, attributes: { ...envelope.attributes, traceparent } } : envelope;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function readStructured(value: Uint8Array): Envelope {
  const json = readJson(value);
  return json.ok ? readEvent(json.value, json.lossy, 'value') : unreadable(`value: ${json.detail}`);
}

function readEvent(event: unknown, lossy: readonly (readonly PropertyKey[])[], where: string): Envelope {
  if (!isObject(event)) return unreadable(`${where}: not a CloudEvent`);
  const { data, data_base64: base64, ...attributes } = event;
  if (base64 === undefined || base64 === null) return { kind: 'envelope', attributes, data, lossy };
  if (data !== undefined) return unreadable('data_base64: not allowed beside data');
  const bytes = typeof base64 === 'string' ? decodeBase64(base64) : null;
  return bytes === null ? unreadable('data_base64: not base64') : withData(attributes, bytes, 'data_base64');
}

function withData(attributes: Attributes, bytes: Uint8Array, where: 'value' | 'data_base64'): Envelope {
  const json = readJson(bytes);
  if (!json.ok) return unreadable(`${where}: ${json.detail}`);
  return { kind: 'envelope', attributes, data: json.value, lossy: json.lossy.map((path) => ['data', ...path]) };
}

function readBinary(value: Uint8Array, headers: NonNullable<SourceRecord['headers']>, mediaType: string): Envelope {
  const attributes: Partial<Record<AttributeName, unknown>> = {};
  for (const name of ATTRIBUTES) {
    const text = headerText(headers, `ce_${name}`);
    if (text === undefined) return unreadable(`headers.ce_${name}: invalid UTF-8`);
    attributes[name] = text;
  }
  if (attributes.specversion === null) return readUnnamed(value, mediaType);
  if (value.byteLength === 0) return { kind: 'tombstone' };
  if (mediaType !== '' && !isJsonMediaType(mediaType)) return unreadable('content-type: only JSON data is read');
  return withData(attributes, value, 'value');
}

/** Structured, by what it says itself: many connectors and scripts set no header. */
function readUnnamed(value: Uint8Array, mediaType: string): Envelope {
  const neither = unreadable('headers: neither a structured nor a binary CloudEvent');
  if (mediaType !== '' && !isJsonMediaType(mediaType)) return neither;
  const json = readJson(value);
  const isEvent = json.ok && isObject(json.value) && typeof json.value['specversion'] === 'string';
  return isEvent ? readEvent(json.value, json.lossy, 'value') : neither;
}

function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(detail: string): Envelope {
  return { kind: 'unreadable', detail };
}
