/** The topics of a shop, by what they are about. A market's receipts come by one of their own. */
export type Topic = 'members' | 'purchases' | 'rewards';

/** Events that a shop tells, by the middle of their type: `loyalty.NAME.v1`. */
export type EventName =
  | 'member.enrolled'
  | 'member.updated'
  | 'member.opted-out'
  | 'member.merged'
  | 'purchase.completed'
  | 'purchase.refunded'
  | 'purchase.voided'
  | 'purchase.corrected'
  | 'reward.granted'
  | 'reward.revoked';

/** A CloudEvent before it is written down in one of the two modes. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly sequence?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a record carries: an event, a market's receipt with the events that it means, bytes that are none, or nothing (a tombstone). */
export type Content =
  | { readonly kind: 'event'; readonly event: CloudEvent }
  | { readonly kind: 'receipt'; readonly value: Uint8Array; readonly meant: readonly CloudEvent[] }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'tombstone' };

/** Why a record must be set aside, as the producer's guide has it (docs/producers.md, What bad input gets). */
export type SetAside = 'unreadable' | 'invalid' | 'unsupported-type' | 'unknown-program' | 'unroutable' | 'not-allowed';

/** What must become of a record, as far as the shop knows. */
export type Fate =
  /** It asks for a call, and is the first to do so. Somebody may have to look, or take it back, before there is one. */
  | 'owed'
  /** Likewise, but of a member who never enrols: it waits for a pass that never comes. */
  | 'stranded'
  /** It may bring about calls, or none: what takes something back, may be older than what is known, or was told before. */
  | 'open'
  /** No call, ever. */
  | 'nothing'
  | { readonly setAside: SetAside };

/** What a record plays beside telling what happened. */
export type Part =
  /** The same event once more. */
  | 'duplicate'
  /** The same told under another event id, later perhaps. */
  | 'told-anew'
  /** The event id or the number of something else: never what it seems. */
  | 'conflict'
  /** Nobody can use it. */
  | 'useless'
  /** Bought without a card. */
  | 'no-member';

/** One record as a shop sends it. */
export interface Sent {
  readonly topic: Topic;
  /** The record's key: the member's id, with sound records. */
  readonly key: string | null;
  readonly content: Content;
  /** The event's name, where it is one that can be understood. */
  readonly name: EventName | null;
  /** Null: it is what it says. */
  readonly part: Part | null;
  readonly fate: Fate;
}

/** All that a record tells, in its order; nothing where nobody can use it. */
export function eventsOf(content: Content): readonly CloudEvent[] {
  if (content.kind === 'event') return [content.event];
  return content.kind === 'receipt' ? content.meant : [];
}

const names: ReadonlySet<string> = new Set<EventName>([
  'member.enrolled',
  'member.updated',
  'member.opted-out',
  'member.merged',
  'purchase.completed',
  'purchase.refunded',
  'purchase.voided',
  'purchase.corrected',
  'reward.granted',
  'reward.revoked',
]);

/** The middle of its type; null: it is none that can be understood. */
export function nameOf({ type }: CloudEvent): EventName | null {
  const [, name = ''] = /(?:^|\.)loyalty\.(.+)\.v1$/.exec(type) ?? [];
  return names.has(name) ? (name as EventName) : null;
}

/** What it plays, for reports: `purchase.completed`, `duplicate`, ... */
export function whatOf({ part, name }: Sent): string {
  return part ?? name ?? 'useless';
}

/** A record's value and headers, as a producer hands them over. */
export interface Encoded {
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The Kafka protocol binding of CloudEvents 1.0. Bytes and tombstones have no mode. */
export function encode(content: Content, mode: 'structured' | 'binary'): Encoded {
  switch (content.kind) {
    case 'tombstone':
      return { value: null, headers: {} };
    case 'receipt':
      return { value: Buffer.from(content.value), headers: {} };
    case 'bytes':
      return { value: Buffer.from(content.value), headers: { 'content-type': 'application/cloudevents+json' } };
    case 'event':
      return mode === 'structured' ? structured(content.event) : binary(content.event);
    default:
      return content satisfies never;
  }
}

function structured(event: CloudEvent): Encoded {
  const value = Buffer.from(JSON.stringify({ specversion: '1.0', datacontenttype: 'application/json', ...event }));
  return { value, headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' } };
}

function binary({ data, ...attributes }: CloudEvent): Encoded {
  const headers = Object.entries({ specversion: '1.0', ...attributes }).map(([name, value]) => [`ce_${name}`, value]);
  return {
    value: Buffer.from(JSON.stringify(data)),
    headers: { 'content-type': 'application/json', ...(Object.fromEntries(headers) as Record<string, string>) },
  };
}
