import { keyedDigest } from '#platform';

/** Tells databases apart, by a key that each has made for itself; tells nothing of the key. */
export function installationName(mac: Uint8Array): string {
  return keyedDigest(mac, '["consumer-group"]').toString('hex');
}
