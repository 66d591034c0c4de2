import { LRUCache } from 'lru-cache';

import type { IdentityPlace, PartnerCommand } from '#intents/core';
import type { Keyring, Random, SealContext } from '#platform';
import { MasterKeyMissingError, seal, SealBrokenError, unseal } from '#platform';

import type { EventPlace, MemberSealPlace } from './seal-place.js';
import { contextOf } from './seal-place.js';

/** Unwrapped keys held in memory: 50,000 x about 200 bytes. Unwrapping again costs some microseconds. */
const unwrappedKeysMax = 50_000;

/** What a member's wrapped key is bound to. */
export const keyContext = (laneId: number): SealContext => contextOf({ column: 'member_key.wrapped_key', laneId });

/** The member's unwrapped key, where the caller holds it. */
interface OfKeyHolder {
  readonly memberKey?: Uint8Array | null;
}

/** An intent, with its member's unwrapped key where the caller holds it. */
export interface SealingPlace extends IdentityPlace {
  readonly key?: Uint8Array | null;
}

/** An event, likewise. */
export type SealingEvent = EventPlace & SealingPlace;

/** The evidence of an event, and what it is bound to. */
export function evidencePlace({ key = null, ...event }: SealingEvent): MemberSealPlace & OfKeyHolder {
  return { ...event, column: 'intent_event.sealed', memberKey: key };
}

function payloadPlace({ laneId, seq, key = null }: SealingPlace): MemberSealPlace & OfKeyHolder {
  return { column: 'intent.payload', laneId, seq, memberKey: key };
}

interface UnwrappedKey {
  /** A member that was erased and came back has another key: the cache must tell them apart. */
  readonly wrapped: Uint8Array;
  readonly key: Uint8Array;
}

/** Each member's data key: created on first sight, wrapped by the master key, kept unwrapped only in a bounded cache. */
export class MemberKeys {
  private readonly unwrapped = new LRUCache<number, UnwrappedKey>({ max: unwrappedKeysMax });

  constructor(
    private readonly keyring: Keyring,
    private readonly random: Random,
  ) {}

  /**
   * A new data key, to be stored wrapped in the transaction that creates the member. Not remembered: until that commits
   * it is nobody's but the transaction's.
   */
  create(laneId: number): { readonly key: Uint8Array; readonly wrapped: Buffer } {
    return this.keyring.createDataKey(keyContext(laneId), this.random);
  }

  /** @throws {SealBrokenError} when no master key fits. */
  learn(laneId: number, wrapped: Uint8Array): Uint8Array {
    const known = this.unwrapped.get(laneId);
    if (known !== undefined && Buffer.compare(known.wrapped, wrapped) === 0) return known.key;
    const key = new Uint8Array(this.keyring.unwrap(wrapped, keyContext(laneId)));
    // A copy: what comes from the database is a window on 8 KiB of Node's buffer pool, which it would keep alive.
    this.unwrapped.set(laneId, { wrapped: new Uint8Array(wrapped), key });
    return key;
  }

  /** The member's key has been destroyed. */
  forget(laneId: number): void {
    this.unwrapped.delete(laneId);
  }

  /** With the place's own key where it brings one: a leased lane must not depend on what the cache still holds. */
  sealFor(place: MemberSealPlace & OfKeyHolder, plain: string): Buffer {
    const key = place.memberKey ?? this.keyOf(place.laneId);
    return seal({ key, plain, context: contextOf(place) }, this.random);
  }

  /** @throws {SealBrokenError} when the bytes were not sealed for this place. */
  openFor(place: MemberSealPlace & OfKeyHolder, sealed: Uint8Array): string {
    return this.openBytes(place, sealed).toString('utf8');
  }

  /** The same as bytes, for who reads only a part. @throws {SealBrokenError} like `openFor` */
  openBytes(place: MemberSealPlace & OfKeyHolder, sealed: Uint8Array): Buffer {
    const key = place.memberKey ?? this.keyOf(place.laneId);
    return unseal({ key, sealed, context: contextOf(place) });
  }

  private keyOf(laneId: number): Uint8Array {
    const known = this.unwrapped.get(laneId);
    if (known === undefined) throw new Error(`the key of lane ${laneId} has not been loaded`);
    return known.key;
  }
}

/**
 * What comes of a member's key; null where the key, or what it sealed, is damaged: that must not hold up all that follows.
 * @throws {MasterKeyMissingError} for a key that an operator can bring back the caller waits
 */
export function unlessBroken<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealBrokenError && !(error instanceof MasterKeyMissingError)) return null;
    throw error;
  }
}

/** Ends the command, the trace's context and the headers: JSON.stringify never writes a bare line feed. What follows is the record as it came. */
const lineEnd = '\n';

/** The sealed payload of an intent: the partner command as it was planned first, then the source event as it arrived. */
export function sealPayload(
  keys: MemberKeys,
  place: SealingPlace,
  parts: { readonly command: string; readonly sourceEvent: string },
): Buffer {
  return keys.sealFor(payloadPlace(place), `${parts.command}${lineEnd}${parts.sourceEvent}`);
}

/** A record as it arrived, as text. */
interface SourceRecordText {
  /** JSON text. */
  readonly headers: string;
  readonly value: string;
}

/** The source event as the payload keeps it: within JSON each quote of the record would be escaped. */
export function sourceEventText(record: SourceRecordText & { readonly traceparent: string | null }): string {
  const { headers, value, traceparent } = record;
  return `${traceparent ?? ''}${lineEnd}${headers}${lineEnd}${value}`;
}

/** Only the command: whoever delivers needs little else. `null` for an intent that was born parked. */
export function openPayload(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  return openTracedPayload(keys, place, sealed).command;
}

/** The command, and the W3C context of the trace that the intent belongs to; nothing of the source event is read. */
export function openTracedPayload(
  keys: MemberKeys,
  place: SealingPlace,
  sealed: Uint8Array,
): { readonly command: PartnerCommand | null; readonly traceparent: string | null } {
  const bytes = keys.openBytes(payloadPlace(place), sealed);
  const end = bytes.indexOf(lineEnd);
  const command = JSON.parse(bytes.toString('utf8', 0, end)) as PartnerCommand | null;
  const traceparent = bytes.toString('latin1', end + 1, bytes.indexOf(lineEnd, end + 1));
  return { command, traceparent: traceparent === '' ? null : traceparent };
}

/** What an `IntentCorrected` holds, and which of the lane's events it is. */
export interface SealedCorrection {
  readonly sealed: Uint8Array;
  readonly version: number;
}

function openCorrected(keys: MemberKeys, place: SealingPlace, { sealed, version }: SealedCorrection): unknown {
  const event = { ...place, type: 'IntentCorrected', attempt: 0, epoch: 0, version };
  return JSON.parse(keys.openFor(evidencePlace(event), sealed));
}

/** The command of an `IntentCorrected`, which replaces the recorded one. @throws {SealBrokenError} where it is another event's */
export function openCorrection(
  keys: MemberKeys,
  place: SealingPlace,
  correction: SealedCorrection,
): PartnerCommand | null {
  return (openCorrected(keys, place, correction) as { readonly command: PartnerCommand | null }).command;
}

/** What an intent says now: its newest correction, else what was recorded. @throws {SealBrokenError} */
export function openCurrent(
  keys: MemberKeys,
  place: SealingPlace,
  stored: {
    readonly payload: Uint8Array;
    readonly correction: Uint8Array | null;
    readonly correctionVersion: number | null;
  },
): PartnerCommand | null {
  const { payload, correction: sealed, correctionVersion: version } = stored;
  if (sealed === null || version === null) return openPayload(keys, place, payload);
  return openCorrection(keys, place, { sealed, version });
}

/** How an `IntentCorrected` by a programs file was planned, without what people have said before. */
export function openPlan(keys: MemberKeys, place: SealingPlace, correction: SealedCorrection): PartnerCommand | null {
  return (openCorrected(keys, place, correction) as { readonly plan?: PartnerCommand }).plan ?? null;
}

/** SQL: what an intent (a row of `intent`) was corrected to last, as `correction` and `correction_version` of a lateral join. */
export const lastCorrectionOf = (intent: string): string => `(
  SELECT e.sealed AS correction, e.version AS correction_version FROM intent_event e
  WHERE e.lane_id = ${intent}.lane_id AND e.seq = ${intent}.seq AND e.type = 'IntentCorrected' AND e.sealed IS NOT NULL
  ORDER BY e.version DESC LIMIT 1)`;

/** Everything: the command, the trace's context, and the record as it arrived. */
export function openWhole(
  keys: MemberKeys,
  place: SealingPlace,
  sealed: Uint8Array,
): {
  readonly command: PartnerCommand | null;
  readonly traceparent: string | null;
  readonly sourceRecord: SourceRecordText;
} {
  const { text: command, rest } = cutLine(keys.openFor(payloadPlace(place), sealed));
  return { command: JSON.parse(command) as PartnerCommand | null, ...readSourceEvent(rest) };
}

/** A text of `sourceEventText`. */
export function readSourceEvent(text: string): {
  readonly traceparent: string | null;
  readonly sourceRecord: SourceRecordText;
} {
  const { text: traceparent, rest } = cutLine(text);
  const { text: headers, rest: value } = cutLine(rest);
  return { traceparent: traceparent === '' ? null : traceparent, sourceRecord: { headers, value } };
}

function cutLine(text: string): { readonly text: string; readonly rest: string } {
  const end = text.indexOf(lineEnd);
  return { text: text.slice(0, end), rest: text.slice(end + lineEnd.length) };
}

/** The source event, for the timeline. */
export function openSourceEvent(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): SourceRecordText {
  return openWhole(keys, place, sealed).sourceRecord;
}
