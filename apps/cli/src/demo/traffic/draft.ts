import type { houseTopics } from '../../house/house.js';
import type { Expectation } from './expectation.js';

/** A CloudEvent before it is written down in one of the two modes. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a record carries: an event, bytes that are none, or nothing (a tombstone). */
export type Content =
  | { readonly kind: 'event'; readonly event: CloudEvent }
  | { readonly kind: 'bytes'; readonly value: Buffer }
  | { readonly kind: 'tombstone' };

/** One record to be emitted, and what must become of it. */
export interface Draft {
  readonly topic: keyof typeof houseTopics;
  readonly key: string;
  readonly content: Content;
  readonly expectation: Expectation;
  /** What it plays, for reports: `purchase`, `duplicate event`, ... */
  readonly role: string;
}

/** A record as Kafka takes it. */
export interface EncodedRecord {
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The Kafka protocol binding of CloudEvents 1.0, structured or binary mode. */
export function encode(content: Content, mode: 'structured' | 'binary'): EncodedRecord {
  switch (content.kind) {
    case 'tombstone':
      return { value: null, headers: {} };
    case 'bytes':
      return { value: content.value, headers: { 'content-type': 'application/cloudevents+json' } };
    case 'event':
      return mode === 'structured' ? structured(content.event) : binary(content.event);
    default:
      return content satisfies never;
  }
}

function structured(event: CloudEvent): EncodedRecord {
  const value = Buffer.from(JSON.stringify({ specversion: '1.0', datacontenttype: 'application/json', ...event }));
  return { value, headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' } };
}

function binary({ data, ...attributes }: CloudEvent): EncodedRecord {
  const headers = Object.entries({ specversion: '1.0', ...attributes }).map(([name, value]) => [`ce_${name}`, value]);
  return {
    value: Buffer.from(JSON.stringify(data)),
    headers: { 'content-type': 'application/json', ...(Object.fromEntries(headers) as Record<string, string>) },
  };
}
