import { keyedDigest } from '#platform';

import type { Storage } from './storage.js';

/** Tells refusals with the same wording, without showing the wording. */
export function fingerprinter({ keys }: Pick<Storage, 'keys'>): (text: string) => string {
  return (text) => keyedDigest(keys.mac, text).toString('hex');
}
