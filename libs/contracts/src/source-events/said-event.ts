import { describedIssuesMax } from './describe-issues.js';
import { readEnvelope } from './read-envelope.js';
import type { Attributes, Envelope } from './read-envelope.js';
import type { SourceEventName } from './source-event.js';
import { stripTypePrefix } from './source-event-name.js';
import type { SourceRecord } from './source-record.js';
import { upcastToNewest } from './upcast.js';

/** What a record says, read as ingest reads it, whether or not it can be accepted. Nothing of it is checked. */
export interface SaidEvent {
  /** The newest version of its type, without prefix; null where that is none of ours. */
  readonly name: SourceEventName | null;
  readonly attributes: Attributes;
  /** Upcast to the newest version, where its type is one of ours. */
  readonly data: unknown;
  /** Paths from the event to numbers that are not the ones that were sent; where not all of them are known, `data`, too. */
  readonly lossy: Extract<Envelope, { readonly kind: 'envelope' }>['lossy'];
}

/** Null where no CloudEvent can be read: nothing is known of what it says. */
export function readSaidEvent(record: Omit<SourceRecord, 'now'>): SaidEvent | null {
  const envelope = readEnvelope(record);
  if (envelope.kind !== 'envelope') return null;
  const { attributes, data, lossy } = envelope;
  const name = typeof attributes.type === 'string' ? stripTypePrefix(attributes.type) : null;
  const newest = name === null ? null : upcastToNewest({ name, data });
  const known = lossy.length < describedIssuesMax ? lossy : [...lossy, ['data']];
  return { attributes, lossy: known, ...(newest ?? { name: null, data }) };
}
