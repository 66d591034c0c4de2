import { spelled } from '#intents/core';
import { keyedDigest } from '#platform';

const digestBytes = 16;

/** By the installation's key; an address in whichever letters it is written. */
export function personDigest(macKey: Uint8Array, name: string): Buffer {
  const text = name.includes('@') ? (spelled(name) ?? '') : name.normalize('NFC');
  return keyedDigest(macKey, `person of a record ${text}`);
}

/** Of all whom a record may be about, one behind the other: nothing by which they could be found without the key. */
export function personDigests(macKey: Uint8Array, names: readonly string[]): Buffer {
  return Buffer.concat(names.map((name) => personDigest(macKey, name)));
}

/** Whether one of these stands among those of a record. */
export function hasDigest(macs: Uint8Array, sought: readonly Uint8Array[]): boolean {
  const known = new Set(sought.map((mac) => Buffer.from(mac).toString('hex')));
  for (let at = 0; at < macs.length; at += digestBytes) {
    if (known.has(Buffer.from(macs.subarray(at, at + digestBytes)).toString('hex'))) return true;
  }
  return false;
}
