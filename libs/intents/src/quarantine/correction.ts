import type { Random } from '#platform';
import { seal, SealBrokenError, unseal } from '#platform';

import type { OpenedParts } from './open-parts.js';

/** What a record is taken for instead of what arrived; a part that is absent stays as it arrived. */
export interface Correction {
  readonly key?: string;
  /** JSON text of the headers. */
  readonly headersText?: string;
  readonly value?: string;
}

/** A correction belongs to one record. */
function contextOf(quarantineId: number): Buffer {
  return Buffer.from(`quarantine:correction:${quarantineId}`, 'latin1');
}

export function sealCorrection(
  of: { readonly quarantineId: number; readonly correction: Correction },
  sealing: { readonly key: Uint8Array; readonly random: Random },
): Buffer {
  const request = { key: sealing.key, plain: JSON.stringify(of.correction), context: contextOf(of.quarantineId) };
  return seal(request, sealing.random);
}

/** `lost`: no key opens it any more. */
export function openCorrection(
  of: { readonly quarantineId: number; readonly sealed: Uint8Array },
  key: Uint8Array,
): Correction | 'lost' {
  try {
    const plain = unseal({ key, sealed: of.sealed, context: contextOf(of.quarantineId) });
    return JSON.parse(plain.toString('utf8')) as Correction;
  } catch (error) {
    if (error instanceof SealBrokenError) return 'lost';
    throw error;
  }
}

/** The record as it is to be taken. */
export function correctParts(parts: OpenedParts, { key, headersText, value }: Correction): OpenedParts {
  return {
    key: key === undefined ? parts.key : Buffer.from(key),
    headersText: headersText ?? parts.headersText,
    value: value === undefined ? parts.value : Buffer.from(value),
  };
}
