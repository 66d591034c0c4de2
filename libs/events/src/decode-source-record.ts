import { z } from 'zod';

import { describedIssuesMax, describeIssues, pathText } from '#contracts';

import { type Attributes, type Envelope, readEnvelope, readEventTime } from './core/read-envelope.js';
import { frameShape, stripTypePrefix } from './core/source-event.js';
import type { SourceRecord } from './core/source-record.js';
import { isSourceEventName, SOURCE_EVENT_SCHEMAS, type SourceEvent, type SourceEventName } from './event-types.js';

/**
 * What a record is. `detail` of a quarantine names paths and rules, never a value, so that it may be logged.
 * The reasons are those of contracts.md section 1; routing and identity add theirs later.
 */
export type DecodedRecord =
  | { readonly kind: 'event'; readonly event: SourceEvent }
  | { readonly kind: 'tombstone' }
  | {
      readonly kind: 'quarantine';
      readonly reason: 'unreadable' | 'invalid' | 'unsupported-type';
      readonly detail: string;
    };

/** What a record says, read as ingest reads it, whether or not it can be accepted. Nothing of it is checked. */
export interface UnvalidatedEvent {
  /** Its type without prefix; null where that is none of ours. */
  readonly name: SourceEventName | null;
  readonly attributes: Attributes;
  readonly data: unknown;
  /** Paths from the event to numbers that are not the ones that were sent; where not all of them are known, `data`, too. */
  readonly lossy: Extract<Envelope, { readonly kind: 'envelope' }>['lossy'];
}

/** Null where no CloudEvent can be read: nothing is known of what it says. */
export function readUnvalidatedEvent(record: Omit<SourceRecord, 'now'>): UnvalidatedEvent | null {
  const envelope = readEnvelope(record);
  if (envelope.kind !== 'envelope') return null;
  const { attributes, data, lossy } = envelope;
  const name = typeof attributes.type === 'string' ? stripTypePrefix(attributes.type) : null;
  const known = lossy.length < describedIssuesMax ? lossy : [...lossy, ['data']];
  return { attributes, lossy: known, name: name !== null && isSourceEventName(name) ? name : null, data };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

type Enveloped = Extract<Envelope, { kind: 'envelope' }>;
type Quarantine = Extract<DecodedRecord, { kind: 'quarantine' }>;

const lossyPathCharsMax = 256;

/**
 * Frame and data in one schema per type: one pass, and paths that begin at the event. Compiled: what is refused is parsed
 * again as it would be without, so that a detail says the same. Strict, so that a schema which zod cannot compile is noticed
 * here and not by its speed.
 */
const eventSchemas = Object.fromEntries(
  Object.entries<z.ZodType>(SOURCE_EVENT_SCHEMAS).map(([name, data]) => [
    name,
    z.compile(z.object({ ...frameShape, data }), { strict: true }),
  ]),
) as Record<SourceEventName, z.ZodObject<typeof frameShape & { data: z.ZodType }>>;

/**
 * Reads one Kafka record as a CloudEvent 1.0, in structured mode (`content-type: application/cloudevents+json`) or
 * binary mode (`ce_*` headers), and checks frame and data (contracts.md section 1). Never throws: what cannot be
 * accepted becomes `quarantine` with `unreadable` (no CloudEvent can be read), `unsupported-type` or `invalid`; a
 * record without a value, or a binary one without data, is a `tombstone`.
 */
export function decodeSourceRecord(record: SourceRecord): DecodedRecord {
  const envelope = readEnvelope(record);
  switch (envelope.kind) {
    case 'tombstone':
      return envelope;
    case 'unreadable':
      return quarantine('unreadable', envelope.detail);
    case 'envelope':
      return decodeEnvelope(envelope, record.now);
    default:
      return envelope satisfies never;
  }
}

function decodeEnvelope({ attributes, data, lossy }: Enveloped, now: number): DecodedRecord {
  const missing = whyNotCloudEvent(attributes);
  if (missing !== null) return quarantine('unreadable', missing);
  const name = stripTypePrefix(attributes.type as string);
  if (name === null || !isSourceEventName(name)) return quarantine('unsupported-type', 'type: unknown type or version');
  return checkEvent({ name, attributes, data, lossy, now });
}

/** What CloudEvents 1.0 itself requires of every event. */
function whyNotCloudEvent({ specversion, id, source, type }: Attributes): string | null {
  if (specversion !== '1.0') return 'specversion: must be 1.0';
  if (!isName(id)) return 'id: required, text';
  if (!isName(source)) return 'source: required, text';
  return isName(type) ? null : 'type: required, text';
}

interface Unchecked {
  readonly name: SourceEventName;
  readonly attributes: Attributes;
  readonly data: unknown;
  readonly lossy: Enveloped['lossy'];
  readonly now: number;
}

function checkEvent({ name, attributes, data, lossy, now }: Unchecked): DecodedRecord {
  const time = readEventTime(attributes.time, now);
  const parsed = eventSchemas[name].safeParse({ ...attributes, data });
  if (!time.ok || !parsed.success || lossy.length > 0) {
    const details = [
      ...(time.ok ? [] : [`time: ${time.rule}`]),
      ...lossy.map(describeLossy),
      ...describeIssues(parsed.error?.issues ?? []),
    ];
    return quarantine('invalid', details.join('; '));
  }
  const event = { ...parsed.data, name, time: attributes.time, timeMs: time.timeMs, sentData: data };
  // The schema was chosen by `name`, a link the compiler cannot follow.
  return { kind: 'event', event: event as SourceEvent };
}

/** Keys of free fields may be of any length. */
function describeLossy(path: readonly PropertyKey[]): string {
  return `${pathText(path).slice(0, lossyPathCharsMax)}: number cannot be kept exactly; send it as text`;
}

function quarantine(reason: Quarantine['reason'], detail: string): Quarantine {
  return { kind: 'quarantine', reason, detail };
}
