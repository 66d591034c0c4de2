import type { Clock, Keyring } from '#platform';

/**
 * A key that this process has just learnt opens at once and wraps only after so long: the other processes must have it by
 * then. Kubernetes brings a changed secret to all pods within two minutes or so.
 */
export const newKeyGraceMs = 300_000;

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}

/** Which master keys are in force, as the list of `LOYALTYD_ENCRYPTION_KEY` changes. */
export class MasterKeys {
  /** Since when this process knows each; the keys of its start were known before. */
  private readonly known: Map<string, number>;
  private inForce: string;

  constructor(
    private readonly keyring: Pick<Keyring, 'replace'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    keys: readonly Uint8Array[],
  ) {
    this.known = new Map(keys.map((key) => [nameOf(key), Number.NEGATIVE_INFINITY]));
    this.inForce = keys.map(nameOf).join();
  }

  /** Works by this list: its first key that has rested wraps, all open. To be called again and again. */
  follow(keys: readonly Uint8Array[]): void {
    const now = this.clock.monotonic();
    // A key that is given back is new again: others may have let go of it, too.
    const listed = new Set(keys.map(nameOf));
    for (const name of this.known.keys()) if (!listed.has(name)) this.known.delete(name);
    for (const key of keys) if (!this.known.has(nameOf(key))) this.known.set(nameOf(key), now);
    const isGraceOver = (key: Uint8Array): boolean => now - (this.known.get(nameOf(key)) ?? now) >= newKeyGraceMs;
    const ordered = [...keys.filter(isGraceOver), ...keys.filter((key) => !isGraceOver(key))];
    const names = ordered.map(nameOf).join();
    if (names === this.inForce) return;
    this.keyring.replace(ordered);
    this.inForce = names;
  }
}
