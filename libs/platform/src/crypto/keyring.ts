import { createHash } from 'node:crypto';

import type { Random } from '../random.js';
import { seal, SealBrokenError, unseal } from './seal.js';
import type { SealContext } from './seal-context.js';

const keyBytes = 32;
const keyIdBytes = 4;

/** The master key that wrapped something is none of the keyring's: another configuration opens it. */
export class MasterKeyMissingError extends SealBrokenError {
  override readonly name = 'MasterKeyMissingError';
}

interface MasterKey {
  readonly id: Buffer;
  readonly key: Uint8Array;
}

/**
 * The master keys of `LOYALTYD_ENCRYPTION_KEY`: the first wraps, all unwrap, so that keys can be rotated.
 * A wrapped key is the master key's id (4 bytes of its SHA-256) followed by the sealed data key.
 */
export class Keyring {
  private masters: readonly MasterKey[];

  /** @param keys 32 bytes each, at least one. */
  constructor(keys: readonly Uint8Array[]) {
    this.masters = mastersOf(keys);
  }

  /** Works by other keys from now on. @throws {RangeError} like the constructor; then nothing changes */
  replace(keys: readonly Uint8Array[]): void {
    this.masters = mastersOf(keys);
  }

  /** Which master keys there are, hex, in their order: an id tells nothing of its key. */
  get ids(): readonly string[] {
    return this.masters.map(({ id }) => id.toString('hex'));
  }

  /** A new random data key with its wrapped form. `context` must be given again to unwrap. */
  createDataKey(context: SealContext, random: Random): { readonly key: Uint8Array; readonly wrapped: Buffer } {
    const key = random.bytes(keyBytes);
    return { key, wrapped: this.wrap(key, context, random) };
  }

  /** Whether the first master key wrapped it, as it wraps new ones. */
  isCurrent(wrapped: Uint8Array): boolean {
    return this.masters[0]?.id.equals(wrapped.subarray(0, keyIdBytes)) === true;
  }

  /**
   * The same data key, wrapped by the first master key.
   *
   * @throws {SealBrokenError} when no master key fits.
   */
  rewrap(wrapped: Uint8Array, context: SealContext, random: Random): Buffer {
    return this.wrap(this.unwrap(wrapped, context), context, random);
  }

  /** @throws {SealBrokenError} `MasterKeyMissingError` where the keyring lacks the key that wrapped it */
  unwrap(wrapped: Uint8Array, context: SealContext): Uint8Array {
    const id = wrapped.subarray(0, keyIdBytes);
    const master = this.masters.find((candidate) => candidate.id.equals(id));
    if (master === undefined) throw new MasterKeyMissingError();
    // Copied out of Node's pool: a key that is kept would keep 8 KiB of it.
    return new Uint8Array(unseal({ key: master.key, sealed: wrapped.subarray(keyIdBytes), context }));
  }

  private wrap(key: Uint8Array, context: SealContext, random: Random): Buffer {
    const master = this.masters[0];
    if (master === undefined) throw new SealBrokenError();
    return Buffer.concat([master.id, seal({ key: master.key, plain: key, context }, random)]);
  }
}

function mastersOf(keys: readonly Uint8Array[]): readonly MasterKey[] {
  if (keys.length === 0 || keys.some((key) => key.length !== keyBytes)) {
    throw new RangeError(`a keyring needs at least one key of ${keyBytes} bytes`);
  }
  return keys.map((key) => ({ key, id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes) }));
}
