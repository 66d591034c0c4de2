import { type Program, type ProgramsFile } from '#contracts';
import { type EventPosition, type QuarantineReason, type RoutedIntent, type RouteResult } from '#intents/core';
import {
  decodeSourceRecord,
  readUnvalidatedEvent,
  type DecodedRecord,
  type MappedRecord,
  mapRecord,
  personsInBytes,
  type SourceEvent,
  type SourceMapping,
  type SourceTables,
  routeSourceEvent,
  eventTypeOf,
} from '#events';
import {
  amountText,
  type Authority,
  eventContentText,
  decidedKeyText,
  eventKeyText,
  headersOf,
  headersText,
  moneySchema,
} from '#events/core';
import { textsOfBatch } from '#events/formats';
import { enrolmentAsUpdate } from '#members';
import type { PersonsNamed, PreparedRecord, RecordSender, RecordVerdict, RouteRecord } from '#intents';
import type { FetchedRecord, TopicPartition, UndecodedBatch } from '#kafka';

/**
 * What an enrolment becomes when the member's first one is on its way already and says something else, or when the member
 * has a pass from before: the same content as an update (contracts.md section 1, Identity). Null for everything else, and
 * where the program maps no update.
 */
function asUpdate(
  event: SourceEvent,
  intent: RoutedIntent | undefined,
  program: Program | undefined,
): RoutedIntent | null {
  if (!intent?.command || program === undefined) return null;
  const command = enrolmentAsUpdate(intent.command, { program, scheduledName: `loyaltyd ${event.source} ${event.id}` });
  if (command === null) return null;
  return { ...intent, operation: command.operation, command, businessKey: null, businessContent: null };
}

export interface PrepareContext {
  readonly source: TopicPartition;
  /** What comes by its topic may say; null: it is none of those that are read now. */
  readonly authority: Authority | null;
  /** A person has this very record taken in. */
  readonly isByPerson?: true;
  readonly programs: ProgramsFile;
  /** Epoch ms, to refuse events from the future. */
  readonly now: number;
  /** When the record came here first, epoch ms; absent: now. */
  readonly receivedAt?: number;
}

function quarantine(reason: QuarantineReason, detail: string): RecordVerdict {
  return { kind: 'quarantine', reason, detail };
}

/**
 * One fetched record, decoded and routed, with the texts that carry its identity: all that the transaction needs.
 * Pure; never throws: a defect of ours on one record sets that record aside (`invalid`, detail names the stage).
 */
export function prepareRecord(record: FetchedRecord, context: PrepareContext): PreparedRecord {
  const { offset, brokerAt, key, value, headers, undecoded } = record;
  if (undecoded !== undefined) return prepareUndecoded(record, undecoded);
  const original = { offset, brokerAt, key, value, headersText: headersText(headers) };
  return { original, ...verdictOf(record, context) };
}

/** One record of ours: as `prepareRecord` does, and of a batch of several events each, all of them or none. */
export function prepareOwn(record: FetchedRecord, context: PrepareContext): PreparedRecord[] {
  const prepared = prepareRecord(record, context);
  const { verdict } = prepared;
  const isUnread = verdict.kind === 'quarantine' && verdict.reason === 'unreadable' && record.undecoded === undefined;
  const batch = isUnread ? textsOfBatch(record) : null;
  if (batch === null) return [prepared];
  if ('refused' in batch) return [{ ...prepared, verdict: quarantine('unreadable', batch.refused) }];
  const { traceparent } = record.headers ?? {};
  const headers = { 'content-type': 'application/cloudevents+json', ...(traceparent !== undefined && { traceparent }) };
  const events = batch.texts.map((text) => ({ text, value: Buffer.from(text), headers }));
  return wholeOrNone(record, events, context);
}

/**
 * One record of a source that has a map: its events, each as `prepareRecord` prepares one of ours, or the record alone where it
 * says nothing or is refused. What is refused of one of them is refused of all.
 * @throws {UnavailableError} while what is needed to read it is away
 */
export async function prepareMapped(
  record: FetchedRecord,
  mapping: SourceMapping,
  context: PrepareContext,
): Promise<PreparedRecord[]> {
  const { offset, brokerAt, key, value, headers, undecoded } = record;
  if (undecoded !== undefined) {
    return [{ ...prepareUndecoded(record, undecoded), persons: personsIn(context, () => []) }];
  }
  const original = { offset, brokerAt, key, value, headersText: headersText(headers) };
  const mapped = await mapSafely({ ...record, topic: context.source.topic }, mapping);
  if (mapped.kind === 'ignored') {
    return [{ original, verdict: { kind: 'ignored', reason: mapped.reason, identity: null } }];
  }
  const persons = personsIn(context, mapped.persons);
  if (mapped.kind === 'refused') return [{ original, verdict: quarantine(mapped.reason, mapped.detail), persons }];
  return wholeOrNone(record, mapped.events, context, persons);
}

/** The events of one record, each as if it had come alone: all of them are taken, or the record is set aside once. */
function wholeOrNone(
  record: FetchedRecord,
  events: readonly MappedRecord[],
  context: PrepareContext,
  persons?: PersonsNamed,
): PreparedRecord[] {
  const { offset, brokerAt, key, value, headers } = record;
  const original = { offset, brokerAt, key, value, headersText: headersText(headers) };
  const { length: count } = events;
  const prepared = events.map((event, index): PreparedRecord => {
    const judged = verdictOf({ ...record, value: event.value, headers: event.headers }, context);
    const place = { ordinal: index + 1, count, text: event.text };
    return { original, ...judged, ...(persons && { persons }), event: place };
  });
  const refused = prepared.find(({ verdict }) => verdict.kind === 'quarantine');
  return refused === undefined ? prepared : [asWhole(refused)];
}

const personsIn = ({ authority }: PrepareContext, names: () => readonly string[]): PersonsNamed => ({
  programs: authority?.programs ? [...authority.programs] : null,
  names,
});

/** A record of which one event is refused: none of its others is taken. */
function asWhole({ original, verdict, origin, event, persons }: PreparedRecord): PreparedRecord {
  if (verdict.kind !== 'quarantine') return { original, verdict };
  const reason = verdict.reason === 'unreadable' ? 'invalid' : verdict.reason;
  const detail = `${eventName(event)}${verdict.detail}`;
  const refusedEvent = event === undefined ? {} : { refusedEvent: event.text };
  return {
    ...{ original, verdict: { ...verdict, reason, detail }, ...refusedEvent },
    ...(origin && { origin }),
    ...(persons && { persons }),
  };
}

const eventName = (event: PreparedRecord['event']): string =>
  event === undefined || event.count === 1 ? '' : `event ${event.ordinal} of ${event.count}: `;

/** A defect of ours on one record sets that record aside. @throws {UnavailableError} */
async function mapSafely(
  record: Parameters<typeof mapRecord>[0],
  mapping: SourceMapping,
): Promise<Awaited<ReturnType<typeof mapRecord>>> {
  try {
    return await mapRecord(record, mapping);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'failed';
    if (name === 'UnavailableError') throw error;
    return { kind: 'refused', reason: 'invalid', detail: `map: ${name}`, persons: () => personsInBytes(record) };
  }
}

function prepareUndecoded({ offset, brokerAt }: FetchedRecord, undecoded: UndecodedBatch): PreparedRecord {
  const { reason, detail, firstOffset, bytes } = undecoded;
  const original = { offset, brokerAt, key: null, value: bytes, headersText: '{}', batch: { firstOffset } };
  return { original, verdict: quarantine(reason, detail) };
}

function verdictOf(record: FetchedRecord, context: PrepareContext): Omit<PreparedRecord, 'original'> {
  try {
    const decoded = decodeSourceRecord({ value: record.value, headers: record.headers, now: context.now });
    const verdict = judge(decoded, record, context);
    const fields = senderFields(decoded, record);
    return fields === null
      ? { verdict }
      : {
          verdict,
          origin: { ...originOf(fields, verdict.kind === 'routed', context.programs), ...stakeOf(fields, verdict) },
        };
  } catch (error) {
    return { verdict: quarantine('invalid', `prepare: ${error instanceof Error ? error.name : 'failed'}`) };
  }
}

/** An id is one word without `@`: of what cannot be taken in nothing else is kept in the clear (decision 0058). */
const oneWord = /^[^\s@]+$/;

interface SenderFields {
  readonly source: unknown;
  readonly name: SourceEvent['name'] | null;
  readonly data: unknown;
}

/** Stores are those of purchases, programs those of the programs file: elsewhere anything may stand. */
function originOf({ source, name, data }: SenderFields, isTaken: boolean, { programs }: ProgramsFile): RecordSender {
  const textOf = (value: unknown): string | null =>
    typeof value === 'string' && (isTaken || oneWord.test(value)) ? value : null;
  const { storeId, program } = (data ?? {}) as Readonly<Record<string, unknown>>;
  return {
    source: textOf(source),
    store: name !== null && eventTypeOf(name).subject === 'purchases' ? textOf(storeId) : null,
    program: typeof program === 'string' && Object.hasOwn(programs, program) ? program : null,
  };
}

const digitsOnly = /^\d{1,15}$/;

/** What it tells of, for those who look at what is set aside; also where the rule that it breaks is how the amount is written. */
function stakeOf({ data }: SenderFields, verdict: RecordVerdict): Pick<RecordSender, 'stake'> {
  if (verdict.kind === 'ignored') return {};
  const { amount, currency } = verdict.kind === 'routed' ? (verdict.intents[0]?.facts ?? {}) : moneyIn(data);
  if (amount === undefined || currency === undefined) return {};
  return { stake: { amount: amount.replace('-', ''), currency } };
}

function moneyIn(data: unknown): { readonly amount?: string; readonly currency?: string } {
  const { total } = (data ?? {}) as { readonly total?: unknown };
  const { minor, ...others } = (typeof total === 'object' ? (total ?? {}) : {}) as { readonly minor?: unknown };
  const number = typeof minor === 'string' && digitsOnly.test(minor) ? Number(minor) : minor;
  const money = moneySchema.safeParse({ ...others, minor: number });
  return money.success ? { amount: amountText(money.data, 1), currency: money.data.currency } : {};
}

/** Reads a record a second time that cannot be taken in: there are few. */
function senderFields(decoded: DecodedRecord, record: FetchedRecord): SenderFields | null {
  if (decoded.kind === 'event') return decoded.event;
  const fields = decoded.kind === 'quarantine' ? readUnvalidatedEvent(record) : null;
  return fields === null ? null : { ...fields, source: fields.attributes.source };
}

function judge(decoded: DecodedRecord, record: FetchedRecord, context: PrepareContext): RecordVerdict {
  if (decoded.kind === 'event') return judgeEvent(decoded.event, record, context);
  return decoded.kind === 'tombstone' ? { kind: 'ignored', reason: 'tombstone', identity: null } : decoded;
}

function memberOf({ data: { program, memberId } }: SourceEvent): { program: string; memberId: string } | null {
  return memberId ? { program, memberId } : null;
}

/** A till's clock that runs ahead must not make others' updates stale: nothing happened after it was received. */
function positionOf(
  event: SourceEvent,
  record: FetchedRecord,
  { now, receivedAt = now }: PrepareContext,
): EventPosition | null {
  if (eventTypeOf(event.name).changesProfile !== true) return null;
  const appendedAt = record.isAppendTime === true ? record.brokerAt : Infinity;
  return { sequence: event.sequence, timeMs: Math.min(event.timeMs, appendedAt, receivedAt) };
}

/** A person has it erase: the opt-out that it is, too, may be known already. */
const isDecided = (route: RouteResult, { isByPerson }: PrepareContext): boolean =>
  isByPerson === true && route.kind === 'routed' && route.memberEffects?.erase === true;

function judgeEvent(event: SourceEvent, record: FetchedRecord, context: PrepareContext): RecordVerdict {
  const route = routeSourceEvent(event, context.programs, context);
  if (route.kind === 'quarantine') return route;
  const content = eventContentText(event, eventTypeOf(event.name).judged?.(event));
  const identity = { eventKeyText: eventKeyText(event), eventContentText: content };
  if (route.kind === 'ignored') {
    const { kind, reason, receipt } = route;
    return { kind, reason, identity: { ...identity, member: memberOf(event) }, ...(receipt && { receipt }) };
  }
  const { intents, cancels } = route;
  const program = context.programs.programs[event.data.program];
  return {
    kind: 'routed',
    eventType: event.name,
    eventSource: event.source,
    occurredAt: event.timeMs,
    ...identity,
    intents,
    cancels,
    memberEffects: route.memberEffects ?? null,
    ...(route.ownWord && { ownWord: route.ownWord }),
    ...(route.leftForPerson && { leftForPerson: route.leftForPerson }),
    ...(isDecided(route, context) && { decidedKeyText: decidedKeyText(event) }),
    enrolmentAsUpdate: asUpdate(event, intents[0], program),
    profilePosition: positionOf(event, record, context),
    traceparent: event.traceparent,
  };
}

/** The programs file in force and the 16 bytes that name it; read once per chunk, so that a reload takes effect. */
export interface RoutingPrograms {
  readonly file: ProgramsFile;
  readonly hash: Uint8Array;
}

/**
 * Decodes and routes one quarantined record as if it arrived now, by the programs file in force, and by the map that it has now
 * for the record's topic. @param sources null: none are read here
 */
export function recordRouter(programs: () => RoutingPrograms, sources: SourceTables | null): RouteRecord {
  return async ({ source, original, now, receivedAt, isOfBatch }) => {
    const { file, hash } = programs();
    const { headersText, ...parts } = original;
    const { authority = null, mapping = null } = sources?.of(file).sourceOf(source.topic) ?? {};
    // Who takes in a whole batch has not looked at each of its records.
    const by = isOfBatch === true ? {} : ({ isByPerson: true } as const);
    const context = { source, authority, programs: file, now, receivedAt, ...by };
    const record = { ...parts, headers: headersOf(headersText) };
    const prepared = mapping === null ? prepareOwn(record, context) : await prepareMapped(record, mapping, context);
    const isMapped = mapping !== null || prepared.some(({ event }) => event !== undefined);
    return { records: prepared.map((each) => ({ ...each, original })), programsHash: hash, isMapped };
  };
}
