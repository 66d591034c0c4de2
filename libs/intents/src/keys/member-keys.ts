import { LRUCache } from 'lru-cache';

import type { Keyring, Random } from '#platform';
import { seal, unseal } from '#platform';

/** Unwrapped keys held in memory: 50,000 x about 200 bytes. Unwrapping again costs some microseconds. */
const unwrappedKeysMax = 50_000;

/** What a sealed value is bound to, so that rows cannot be swapped. */
export function intentContext(laneId: number, seq: number): Buffer {
  return Buffer.from(`${laneId}:${seq}`, 'latin1');
}

function keyContext(laneId: number): Buffer {
  return Buffer.from(`member:${laneId}`, 'latin1');
}

/** Where a sealed value belongs; `key` is the member's unwrapped key where the caller holds it. */
export interface SealingPlace {
  readonly laneId: number;
  readonly seq: number;
  readonly key?: Uint8Array | null;
}

/** Each member's data key: created on first sight, wrapped by the master key, kept unwrapped only in a bounded cache. */
export class MemberKeys {
  private readonly unwrapped = new LRUCache<number, Uint8Array>({ max: unwrappedKeysMax });

  constructor(
    private readonly keyring: Keyring,
    private readonly random: Random,
  ) {}

  /** A new member's wrapped key, to be stored in the transaction that creates the member. */
  create(laneId: number): Buffer {
    const { key, wrapped } = this.keyring.createDataKey(keyContext(laneId), this.random);
    this.unwrapped.set(laneId, key);
    return wrapped;
  }

  isKnown(laneId: number): boolean {
    return this.unwrapped.has(laneId);
  }

  /** @throws {SealBrokenError} when no master key fits. */
  learn(laneId: number, wrapped: Uint8Array): Uint8Array {
    const known = this.unwrapped.get(laneId);
    if (known !== undefined) return known;
    const key = this.keyring.unwrap(wrapped, keyContext(laneId));
    this.unwrapped.set(laneId, key);
    return key;
  }

  /** Forgets keys that a rolled-back transaction created. */
  forget(laneIds: Iterable<number>): void {
    for (const laneId of laneIds) this.unwrapped.delete(laneId);
  }

  /** With the place's own key where it brings one: a leased lane must not depend on what the cache still holds. */
  sealFor(place: SealingPlace, plain: string): Buffer {
    const context = intentContext(place.laneId, place.seq);
    return seal({ key: place.key ?? this.keyOf(place.laneId), plain, context }, this.random);
  }

  /** @throws {SealBrokenError} when the bytes were not sealed for this place. */
  openFor(place: SealingPlace, sealed: Uint8Array): string {
    const context = intentContext(place.laneId, place.seq);
    return unseal({ key: place.key ?? this.keyOf(place.laneId), sealed, context }).toString('utf8');
  }

  private keyOf(laneId: number): Uint8Array {
    const key = this.unwrapped.get(laneId);
    if (key === undefined) throw new Error(`the key of lane ${laneId} has not been loaded`);
    return key;
  }
}
