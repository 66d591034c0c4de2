import { LRUCache } from 'lru-cache';

import type { PartnerCommand } from '#intents/core';
import type { Keyring, Random } from '#platform';
import { MasterKeyMissingError, seal, SealBrokenError, unseal } from '#platform';

/** Unwrapped keys held in memory: 50,000 x about 200 bytes. Unwrapping again costs some microseconds. */
const unwrappedKeysMax = 50_000;

/** What a sealed value is bound to, so that rows cannot be swapped. */
function intentContext(laneId: number, seq: number): Buffer {
  return Buffer.from(`${laneId}:${seq}`, 'latin1');
}

/** What a member's wrapped key is bound to. */
export function keyContext(laneId: number): Buffer {
  return Buffer.from(`member:${laneId}`, 'latin1');
}

/** Where a sealed value belongs; `key` is the member's unwrapped key where the caller holds it. */
export interface SealingPlace {
  readonly laneId: number;
  readonly seq: number;
  readonly key?: Uint8Array | null;
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
  sealFor(place: SealingPlace, plain: string): Buffer {
    const context = intentContext(place.laneId, place.seq);
    return seal({ key: place.key ?? this.keyOf(place.laneId), plain, context }, this.random);
  }

  /** @throws {SealBrokenError} when the bytes were not sealed for this place. */
  openFor(place: SealingPlace, sealed: Uint8Array): string {
    return this.openBytes(place, sealed).toString('utf8');
  }

  /** The same as bytes, for who reads only a part. @throws {SealBrokenError} like `openFor` */
  openBytes(place: SealingPlace, sealed: Uint8Array): Buffer {
    const context = intentContext(place.laneId, place.seq);
    return unseal({ key: place.key ?? this.keyOf(place.laneId), sealed, context });
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

/** Separates the command from the source event: JSON.stringify never writes a bare line feed. */
const separator = '\n';

/** The sealed payload of an intent: the partner command as it was planned first, then the source event as it arrived. */
export function sealPayload(
  keys: MemberKeys,
  place: SealingPlace,
  parts: { readonly command: string; readonly sourceEvent: string },
): Buffer {
  return keys.sealFor(place, `${parts.command}${separator}${parts.sourceEvent}`);
}

/** A record as it arrived, as text. */
interface SourceRecordText {
  /** JSON text. */
  readonly headers: string;
  readonly value: string;
}

/**
 * The source event as the payload keeps it. The trace's context comes last, and only where there is one: `traceparentOf`
 * finds it by its place, so that an intent without it costs nothing.
 */
export function sourceEventText(record: SourceRecordText & { readonly traceparent: string | null }): string {
  const { headers, value, traceparent } = record;
  return JSON.stringify(traceparent === null ? { headers, value } : { headers, value, traceparent });
}

const traceMark = ',"traceparent":"';
const traceEnd = '"}';
/** W3C Trace Context, section 3.2: all versions so far. */
const traceparentLength = 55;

/** All of a payload that the trace is found in: ASCII. */
const traceTailBytes = traceMark.length + traceparentLength + traceEnd.length;

/** Within a JSON text every quote is escaped: what a producer wrote cannot look like the mark. */
function traceparentOf(text: string): string | null {
  const from = text.length - traceEnd.length - traceparentLength;
  return text.startsWith(traceMark, from - traceMark.length) ? text.slice(from, -traceEnd.length) : null;
}

/** Only the command: whoever delivers needs little else. `null` for an intent that was born parked. */
export function openPayload(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  return commandIn(keys.openFor(place, sealed));
}

function commandIn(text: string): PartnerCommand | null {
  return JSON.parse(text.slice(0, text.indexOf(separator))) as PartnerCommand | null;
}

/** The command, and the W3C context of the trace that the intent belongs to; nothing of the source event is read. */
export function openTracedPayload(
  keys: MemberKeys,
  place: SealingPlace,
  sealed: Uint8Array,
): { readonly command: PartnerCommand | null; readonly traceparent: string | null } {
  const bytes = keys.openBytes(place, sealed);
  const command = JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(separator))) as PartnerCommand | null;
  return { command, traceparent: traceparentOf(bytes.toString('latin1', Math.max(0, bytes.length - traceTailBytes))) };
}

/** The command of an `IntentCorrected`, which replaces the recorded one. */
export function openCorrection(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  return (JSON.parse(keys.openFor(place, sealed)) as { readonly command: PartnerCommand | null }).command;
}

/** How an `IntentCorrected` by a programs file was planned, without what people have said before. */
export function openPlan(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  return (JSON.parse(keys.openFor(place, sealed)) as { readonly plan?: PartnerCommand }).plan ?? null;
}

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
  const text = keys.openFor(place, sealed);
  return { command: commandIn(text), traceparent: traceparentOf(text), sourceRecord: sourceRecordIn(text) };
}

/** The source event, for the timeline. */
export function openSourceEvent(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): SourceRecordText {
  return sourceRecordIn(keys.openFor(place, sealed));
}

function sourceRecordIn(text: string): SourceRecordText {
  const { headers, value } = JSON.parse(text.slice(text.indexOf(separator) + separator.length)) as SourceRecordText;
  return { headers, value };
}
