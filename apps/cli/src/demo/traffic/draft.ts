import type { QuarantineReason } from '#domain';

import type { devTopics } from '../../dev/dev-stack.js';

/** What must be found in the partner's ledger: written down by the generator, before anything was sent. */
export interface ExpectedEffect {
  readonly operation: 'issue' | 'issue-via-workflow' | 'update-via-workflow' | 'transaction' | 'reward';
  readonly brandId: string;
  readonly programId: string;
  readonly memberId: string;
  /** What tells it from the member's other effects: receipt and amount, the reward, the updated value. */
  readonly what: string;
}

/** What must become of one emitted record. Nothing of it is read from the daemon's code. */
export type Expectation =
  /** The effect, exactly once. A person may have to look first: parked is told apart from lost. */
  | { readonly kind: 'effect'; readonly effect: ExpectedEffect }
  /** Never the effect, because the member never enrols: parked. */
  | { readonly kind: 'parked'; readonly effect: ExpectedEffect }
  /** Takes back a purchase: from now on its effect may be missing, if it was cancelled. */
  | { readonly kind: 'void'; readonly effect: ExpectedEffect }
  /** A duplicate, a tombstone, a purchase without a member: no effect of its own. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quarantined'; readonly reason: QuarantineReason };

/** Equal for equal effects. */
export function effectKey({ operation, brandId, programId, memberId, what }: ExpectedEffect): string {
  return JSON.stringify([brandId, programId, memberId, operation, what]);
}

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
  readonly topic: keyof typeof devTopics;
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
