import { LRUCache } from 'lru-cache';

import type { Keyring, Random } from '#platform';
import { seal, unseal } from '#platform';

/** Unwrapped keys held in memory: 50,000 x about 200 bytes. Unwrapping again costs some microseconds. */
const unwrappedKeysMax = 50_000;

/** What a sealed value is bound to, so that rows cannot be swapped. */
export function intentContext(laneId: number, seq: number): Buffer {
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
    const context = intentContext(place.laneId, place.seq);
    return unseal({ key: place.key ?? this.keyOf(place.laneId), sealed, context }).toString('utf8');
  }

  private keyOf(laneId: number): Uint8Array {
    const known = this.unwrapped.get(laneId);
    if (known === undefined) throw new Error(`the key of lane ${laneId} has not been loaded`);
    return known.key;
  }
}
