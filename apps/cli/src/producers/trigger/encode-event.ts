import type { BuiltEvent } from './build-event.js';

export const modes = ['structured', 'binary'] as const;
export type Mode = (typeof modes)[number];

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
