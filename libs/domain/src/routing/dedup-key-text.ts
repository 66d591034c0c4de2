import type { SourceEvent } from '#contracts';
import { canonicalJson } from './canonical-json.js';
import type { JsonValue } from './partner-command.js';
import type { BusinessKey } from './route-result.js';

/**
 * The texts that are hashed into `dedup.key` and `dedup.body_mac` (contracts.md section 1, Identity). Each is a JSON
 * array that begins with its kind, so that no two different identities share a text.
 */

/** An event is (`source`, `id`). */
export function eventKeyText(event: Pick<SourceEvent, 'source' | 'id'>): string {
  return JSON.stringify(['event', event.source, event.id]);
}

/** What must be equal when the same event comes again: its type, subject and data. Holds personal values. */
export function eventContentText(event: Pick<SourceEvent, 'type' | 'subject' | 'sentData'>): string {
  return canonicalJson([event.type, event.subject, event.sentData as JsonValue]);
}

export interface BusinessIdentity {
  readonly program: string;
  readonly key: BusinessKey;
  /** The member's generation; read only by keys that are `perGeneration`. */
  readonly generation: number;
}

/** A business key, unique per program for ever; an enrolment's also per generation of its member. */
export function businessKeyText({ program, key, generation }: BusinessIdentity): string {
  return JSON.stringify(['business', program, key.scope, key.perGeneration ? generation : null, ...key.parts]);
}
