import { randomUUID } from 'node:crypto';

import type { SourceEventName } from '#events';
import {
  decodeSourceRecord,
  isSourceEventName,
  SOURCE_EVENT_SAMPLES,
  SOURCE_EVENT_SCHEMAS,
  eventTypeOf,
} from '#events';
import { stripTypePrefix } from '#events/core';

import type { Mode } from '../options.js';
import type { Setting } from './setting.js';
import { applySetting, numbered, settingValue } from './setting.js';

/** A type as asked for. */
export interface EventType {
  readonly name: SourceEventName;
  /** As it is sent, a reverse-DNS prefix included. */
  readonly type: string;
}

/** `purchase.completed`, `loyalty.purchase.completed.v1`, or that with a reverse-DNS prefix; null for anything else. */
export function readEventType(text: string): EventType | null {
  for (const type of [text, `loyalty.${text}`, `loyalty.${text}.v1`]) {
    const name = stripTypePrefix(type);
    if (name !== null && isSourceEventName(name)) return { name, type };
  }
  return null;
}

/** The short names of all types. */
export function shortTypeNames(): readonly string[] {
  return Object.keys(SOURCE_EVENT_SCHEMAS).map((name) => name.replace(/^loyalty\.|\.v\d+$/g, ''));
}

/** What all events of one run have in common. */
export interface EventPlan {
  readonly type: EventType;
  /** In place of the sample's own; may hold `{n}`. */
  readonly program: string | null;
  readonly member: string | null;
  readonly settings: readonly Setting[];
}

/** What each has for itself. */
interface EventTurn {
  /** From 1. */
  readonly number: number;
  /** Never used before. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A CloudEvent as JSON; nothing of it is checked. */
export type BuiltEvent = Record<string, unknown>;

const triggerSource = '/loyaltyd/trigger';

/** An event of the sample of its type, with what the plan says. @throws {SettingError} */
export function buildEvent(plan: EventPlan, turn: EventTurn): BuiltEvent {
  const { type, program, member, settings } = plan;
  const data = structuredClone<Record<string, unknown>>(SOURCE_EVENT_SAMPLES[type.name]);
  // The sample's own number would be a repetition from the second time on; what an event refers to stays the sample's.
  const { ownNumber } = eventTypeOf(type.name);
  if (ownNumber !== undefined) data[ownNumber] = `test-${turn.id}`;
  if (program !== null) data['program'] = numbered(program, turn.number);
  if (member !== null) data['memberId'] = numbered(member, turn.number);
  const event: BuiltEvent = {
    specversion: '1.0',
    id: turn.id,
    source: triggerSource,
    type: type.type,
    time: new Date(turn.now).toISOString(),
    datacontenttype: 'application/json',
    data,
  };
  for (const setting of settings) applySetting(event, { ...setting, value: settingValue(setting, turn.number) });
  return event;
}

/** A record ready to be sent. */
export interface EncodedEvent {
  /** The member id; null where the event has none that is text. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string;
}

/** CloudEvents over the Kafka protocol binding, keyed by the member. */
export function encodeEvent(event: BuiltEvent, mode: Mode): EncodedEvent {
  return { key: keyOf(event), ...(mode === 'structured' ? structured(event) : binary(event)) };
}

function keyOf({ data }: BuiltEvent): string | null {
  const memberId: unknown = isObject(data) ? data['memberId'] : null;
  return typeof memberId === 'string' && memberId !== '' ? memberId : null;
}

function structured(event: BuiltEvent): Omit<EncodedEvent, 'key'> {
  return { headers: { 'content-type': 'application/cloudevents+json' }, value: JSON.stringify(event) };
}

function binary({ data, datacontenttype, ...attributes }: BuiltEvent): Omit<EncodedEvent, 'key'> {
  const named = Object.entries(attributes).filter(([, value]) => value !== null);
  const headers = named.map(([name, value]) => [`ce_${name}`, headerText(value)] as const);
  const contentType = typeof datacontenttype === 'string' ? datacontenttype : 'application/json';
  return { headers: { 'content-type': contentType, ...Object.fromEntries(headers) }, value: JSON.stringify(data) };
}

function headerText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export interface TriggeredEvent {
  readonly event: BuiltEvent;
  readonly record: EncodedEvent;
  /** What the daemon would refuse it for, `reason: detail`; null when it takes it. */
  readonly refusal: string | null;
}

/** Makes the events of one run, one at a time. */
export class EventSource {
  constructor(
    private readonly plan: EventPlan,
    private readonly mode: Mode,
  ) {}

  /** @param number from 1. @throws {SettingError} */
  make(number: number): TriggeredEvent {
    const now = Date.now();
    const event = buildEvent(this.plan, { number, id: randomUUID(), now });
    const record = encodeEvent(event, this.mode);
    const decoded = decodeSourceRecord({ value: Buffer.from(record.value), headers: record.headers, now });
    const refusal = decoded.kind === 'quarantine' ? `${decoded.reason}: ${decoded.detail}` : null;
    return { event, record, refusal };
  }
}
