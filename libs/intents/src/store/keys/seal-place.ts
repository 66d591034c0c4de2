import type { IdentityPlace } from '#intents/core';
import type { SealContext } from '#platform';
import { sealContext } from '#platform';

/** A row of `intent_event`, by what its evidence is bound to. */
export interface EventPlace extends IdentityPlace {
  readonly type: string;
  /** 0 where it is about no attempt. */
  readonly attempt: number;
  readonly epoch: number;
  /** Its place in the lane. */
  readonly version: number;
}

/** A record that was set aside: its number, and what of its row never changes. */
export interface QuarantinePlace {
  readonly quarantineId: number;
  readonly topic: string;
  readonly partition: number;
  /** Set: its value is a whole record batch. */
  readonly lastOffset: number | null;
}

/** A mark, by its key in its lane, and the record that has left it: a person may give one up, and then another record leaves one. */
export interface MarkPlace {
  readonly laneId: number;
  readonly key: Uint8Array;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Where sealed bytes of a member's belong: one of each column that such bytes stand in. */
export type MemberSealPlace =
  | (IdentityPlace & { readonly column: 'intent.payload' })
  | (EventPlace & { readonly column: 'intent_event.sealed' })
  | (MarkPlace & { readonly column: 'cancel_mark.sealed' });

/** Where sealed bytes belong: one of each column of the schema that has any. */
export type SealPlace =
  | MemberSealPlace
  | { readonly column: 'installation.wrapped_mac_key' | 'installation.wrapped_quarantine_key' }
  | { readonly column: 'member_key.wrapped_key'; readonly laneId: number }
  | (QuarantinePlace & {
      readonly column: 'quarantine.sealed_key' | 'quarantine.sealed_value' | 'quarantine.sealed_headers';
    })
  | { readonly column: 'quarantine_settlement.sealed_correction'; readonly quarantineId: number };

/**
 * Whether an event's evidence is bound to its attempt instead of its version. The outcome of an attempt is sealed before
 * its version is known: members' new intents raise that meanwhile. Its type is once in an attempt, and an attempt once in an
 * epoch. A late outcome may come more than once.
 */
export function isOfAttempt({ type, attempt }: Pick<EventPlace, 'type' | 'attempt'>): boolean {
  return attempt > 0 && type !== 'LateOutcome';
}

function eventContext(place: EventPlace & { readonly column: string }): SealContext {
  const { column, laneId, seq, type, attempt, epoch, version } = place;
  return isOfAttempt(place)
    ? sealContext([column, laneId, seq, type, 'attempt', attempt, epoch])
    : sealContext([column, laneId, seq, type, 'version', version]);
}

function quarantineContext({ column, ...place }: QuarantinePlace & { readonly column: string }): SealContext {
  const { quarantineId, topic, partition, lastOffset } = place;
  return sealContext([column, quarantineId, topic, partition, lastOffset ?? 'record']);
}

function markContext({ column, laneId, key, topic, partition, offset }: MarkPlace & { readonly column: string }) {
  return sealContext([column, laneId, Buffer.from(key).toString('hex'), topic, partition, offset]);
}

/** What sealed bytes are bound to: table and column, the row, its version where it has one, and what it means. */
export function contextOf(place: SealPlace): SealContext {
  switch (place.column) {
    case 'intent.payload':
      return sealContext([place.column, place.laneId, place.seq]);
    case 'intent_event.sealed':
      return eventContext(place);
    case 'cancel_mark.sealed':
      return markContext(place);
    case 'member_key.wrapped_key':
      return sealContext([place.column, place.laneId]);
    case 'installation.wrapped_mac_key':
    case 'installation.wrapped_quarantine_key':
      return sealContext([place.column]);
    case 'quarantine.sealed_key':
    case 'quarantine.sealed_value':
    case 'quarantine.sealed_headers':
      return quarantineContext(place);
    case 'quarantine_settlement.sealed_correction':
      return sealContext([place.column, place.quarantineId]);
    default:
      return place satisfies never;
  }
}
