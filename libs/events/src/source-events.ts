import { z } from 'zod';
import { type ProgramsFile, describedIssuesMax, describeIssues, pathText } from '#contracts';
import { type RouteResult, ignored, nobody, quarantine } from '#intents/core';
import { memberEventTypes } from '#members';
import { purchaseEventTypes } from '#purchases';
import { rewardEventTypes } from '#rewards';
import type { Authority } from './core/authority.js';
import type { EventType, Subject } from './core/event-type.js';
import type { Routing } from './core/routing.js';
import { type EventOf, type SourceEventFrame, frameShape, stripTypePrefix } from './core/source-event.js';
import { type Attributes, type Envelope, readEnvelope, readEnvelopes, readEventTime } from './core/read-envelope.js';
import type { SourceRecord } from './core/source-record.js';

/** Every event type there is, each from the room of its subject (contracts.md section 1). */
const eventTypes = [...memberEventTypes, ...purchaseEventTypes, ...rewardEventTypes] as const;

type KnownType = (typeof eventTypes)[number];

export type SourceEventName = KnownType['name'];

type TypeOf<Name extends SourceEventName> = Extract<KnownType, { readonly name: Name }>;

/** One event type with its validated data; `name` is the type without prefix. */
export type SourceEventOf<Name extends SourceEventName> = EventOf<Name, z.infer<TypeOf<Name>['schema']>>;

/** A validated source event: a union on `name`. */
export type SourceEvent = { [Name in SourceEventName]: SourceEventOf<Name> }[SourceEventName];

const byName = Object.fromEntries(eventTypes.map((type) => [type.name, type])) as {
  readonly [Name in SourceEventName]: TypeOf<Name>;
};

/** Of each event type what `data` must be. */
export const SOURCE_EVENT_SCHEMAS = mapTypes(({ schema }) => schema) as {
  readonly [Name in SourceEventName]: TypeOf<Name>['schema'];
};

/** Of each event type a valid `data`, the examples of contracts.md section 1. */
export const SOURCE_EVENT_SAMPLES = mapTypes(({ sample }) => sample) as {
  readonly [Name in SourceEventName]: TypeOf<Name>['sample'];
};

function mapTypes(of: (type: KnownType) => unknown): unknown {
  return Object.fromEntries(eventTypes.map((type) => [type.name, of(type)]));
}

/** True for each event type. */
export function isSourceEventName(name: string): name is SourceEventName {
  return Object.hasOwn(byName, name);
}

/** What the room of its subject says of an event type. */
export function eventTypeOf(name: SourceEventName): EventType<string, z.ZodType<EventOf['data']>, unknown> {
  // Its route takes events of its own type alone; who asks by an event's name gives it that event.
  return byName[name] as unknown as EventType<string, z.ZodType<EventOf['data']>, unknown>;
}

/** What of `data` an operator may correct, by path; a field means the same in every type that has it. */
export const CORRECTABLE_DATA: ReadonlySet<string> = new Set(
  eventTypes.flatMap(({ name }) => eventTypeOf(name).correctable ?? []),
);

/**
 * What a valid source event makes us owe the partner: contracts.md section 1, "Which partner call an event causes".
 * Pure and deterministic: the same event and file give the same result, on every replica and every attempt. Never
 * throws. `detail` of a quarantine names paths and rules, never a value.
 */
export function routeSourceEvent(event: SourceEvent, programs: ProgramsFile, by: RouteBy = {}): RouteResult {
  const route = routeAnywhere(event, programs, by);
  const refusal = route.kind === 'ignored' && route.reason === 'unknown-program' ? null : whyNotAllowed(event, by);
  return refusal === null ? route : quarantine('not-allowed', refusal);
}

/** How an event came here. */
export type RouteBy = Pick<Routing, 'isByPerson' | 'authority'>;

/**
 * Who may write to one topic may say what belongs there, and nothing else: not even its number is held, so that nobody
 * takes another's by the wrong door. A person may have it taken in.
 */
function whyNotAllowed(event: SourceEvent, { authority, isByPerson }: RouteBy): string | null {
  if (!authority || isByPerson === true) return null;
  const { name, types, programs } = authority;
  if (!types.has(event.name)) return `type: ${name} may not say ${event.name}`;
  return (programs?.has(event.data.program) ?? true) ? null : `data.program: ${name} may not speak for it`;
}

/** What comes by the native topic of a subject: the types of that, for every program. */
export function nativeAuthority(subject: Subject): Authority {
  const types = eventTypes.filter((type) => type.subject === subject).map(({ name }) => name);
  return { name: `the topic of ${subject}`, types: new Set(types), programs: null, may: new Set(['erase', 'merge']) };
}

function routeAnywhere(event: SourceEvent, programs: ProgramsFile, by: RouteBy): RouteResult {
  const { program: name } = event.data;
  const memberId = event.data.memberId ?? nobody;
  const type = eventTypeOf(event.name);
  const program = Object.hasOwn(programs.programs, name) ? programs.programs[name] : undefined;
  if (memberId === nobody && type.needsNoMember !== true) {
    const receipt = program === undefined ? null : type.ofNobody?.({ event, memberId, program });
    return ignored('no-member', receipt ?? undefined);
  }
  if (program !== undefined) return routeInProgram(type, { event, memberId, program, ...by });
  return programs.unknownProgram === 'ignore'
    ? ignored('unknown-program')
    : quarantine('unknown-program', 'data.program: not in the programs file');
}

function routeInProgram(type: ReturnType<typeof eventTypeOf>, routing: Routing<SourceEvent>): RouteResult {
  const { event, program } = routing;
  const route =
    event.timeMs < program.notBefore
      ? quarantine('invalid', "time: before the program's notBefore")
      : withPriority(type.route(routing), routing);
  if (route.kind !== 'quarantine') return route;
  const key = type.numberOf?.(routing);
  return key ? { ...route, number: { program: event.data.program, key } } : route;
}

const levels = { high: 0, normal: 1, low: 2 } as const;

/** As the programs file says; else each goes by its operation. */
function withPriority(result: RouteResult, { event, program }: Routing<SourceEvent>): RouteResult {
  const { types, sources } = program.priority;
  const level = own(sources, event.source) ?? own(types, event.name);
  if (level === undefined || result.kind !== 'routed') return result;
  return { ...result, intents: result.intents.map((intent) => ({ ...intent, priority: levels[level] })) };
}

const own = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const withoutVersion = (name: string): string => name.replace(/\.v\d+$/, '');
const rules = new Map(
  Object.values(byName).map(({ name, rule }: { name: string; rule?: string | null }) => [withoutVersion(name), rule]),
);

/** The part of its program that an event came by, whatever its type's version; see `EventType.rule`. */
export function ruleOfType(eventType: string): string | null | undefined {
  return rules.get(withoutVersion(eventType));
}

/** What a sample differs in: fields of `data` (`undefined` takes one away) and attributes of the frame. */
interface SampleChanges {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly frame?: Partial<SourceEventFrame>;
}

/** A whole event as the decoder would give it, made of the sample of its type. What it is changed to is not checked. */
export function sampleEvent<Name extends SourceEventName>(
  name: Name,
  changes: SampleChanges = {},
): Extract<SourceEvent, { readonly name: Name }> {
  const data = JSON.parse(JSON.stringify({ ...SOURCE_EVENT_SAMPLES[name], ...changes.data })) as unknown;
  const time = '2026-11-21T10:15:04+01:00';
  const event = {
    id: '01JD7Z0Q9W3M',
    source: '/pos/berlin-07/till-3',
    type: name,
    name,
    subject: null,
    time,
    timeMs: Date.parse(time),
    sequence: null,
    traceparent: null,
    data,
    sentData: data,
    ...changes.frame,
  };
  return event as unknown as Extract<SourceEvent, { readonly name: Name }>;
}

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
  return decoded(readEnvelope(record), record);
}

/** The same of what may be a batch: its events in their order, each judged as if it had come alone. Never empty. */
export function decodeSourceRecords(record: SourceRecord): readonly DecodedRecord[] {
  return readEnvelopes(record).map((envelope) => decoded(envelope, record));
}

function decoded(envelope: Envelope, record: SourceRecord): DecodedRecord {
  switch (envelope.kind) {
    case 'tombstone':
      return envelope;
    case 'unreadable':
      return refuse('unreadable', envelope.detail);
    case 'envelope':
      return decodeEnvelope(envelope, record.now);
    default:
      return envelope satisfies never;
  }
}

function decodeEnvelope({ attributes, data, lossy }: Enveloped, now: number): DecodedRecord {
  const missing = whyNotCloudEvent(attributes);
  if (missing !== null) return refuse('unreadable', missing);
  const name = stripTypePrefix(attributes.type as string);
  if (name === null || !isSourceEventName(name)) return refuse('unsupported-type', 'type: unknown type or version');
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
    return refuse('invalid', details.join('; '));
  }
  const event = { ...parsed.data, name, time: attributes.time, timeMs: time.timeMs, sentData: data };
  // The schema was chosen by `name`, a link the compiler cannot follow.
  return { kind: 'event', event: event as SourceEvent };
}

/** JSON Schema, as far as names of fields stand in it. */
interface NamingSchema {
  readonly properties?: Readonly<Record<string, NamingSchema>>;
}

function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = Object.keys((schema as NamingSchema).properties ?? {});
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}

let known: ReadonlySet<string> | null = null;

/** Names that the contract gives, of any type: the others are a producer's own. Gathered when one is first asked for: few records are refused. */
function contractNames(): ReadonlySet<string> {
  known ??= new Set(
    Object.values<z.ZodType>(eventSchemas).flatMap((schema) =>
      namesIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
    ),
  );
  return known;
}

/** Stands for a name of a producer's own. */
const ownName = '(own field)';

/** A field may be called by a person's name, which would outlive their erasure: a detail is kept in the clear. */
function shownPath(path: readonly PropertyKey[]): string {
  const names = contractNames();
  const shown = path.map((step) => (typeof step === 'string' && !names.has(step) ? ownName : step));
  return pathText(shown).slice(0, lossyPathCharsMax);
}

function describeLossy(path: readonly PropertyKey[]): string {
  return `${shownPath(path)}: number cannot be kept exactly; send it as text`;
}

function refuse(reason: Quarantine['reason'], detail: string): Quarantine {
  return { kind: 'quarantine', reason, detail };
}
