import { SealBrokenError, unseal } from '#platform';

import { quarantineContext } from '../batch/insert-quarantine.js';

/** SQL: what `openParts` opens. */
export const sealedColumns = 'sealed_key, sealed_value, sealed_headers, value_bytes';

export interface SealedParts {
  readonly sealed_key: Buffer | null;
  readonly sealed_value: Buffer | null;
  readonly sealed_headers: Buffer;
  readonly value_bytes: number;
}

/** A record as it arrived. */
export interface OpenedParts {
  /** Null where there was none, or it cannot be opened any more. */
  readonly key: Uint8Array | null;
  /** `lost`: there was one, and no key opens it any more. */
  readonly value: Uint8Array | null | 'lost';
  /** JSON text of the headers; null where no key opens them any more. */
  readonly headersText: string | null;
}

function openPart(key: Uint8Array, part: 'key' | 'value' | 'headers', sealed: Buffer | null): Buffer | null | 'lost' {
  if (sealed === null) return null;
  try {
    return unseal({ key, sealed, context: quarantineContext(part) });
  } catch (error) {
    if (error instanceof SealBrokenError) return 'lost';
    throw error;
  }
}

function openValue(sealed: SealedParts, quarantineKey: Uint8Array): OpenedParts['value'] {
  const value = openPart(quarantineKey, 'value', sealed.sealed_value);
  // Bytes that were cleared away leave their number behind.
  return value === null && sealed.value_bytes > 0 ? 'lost' : value;
}

/** Opens a quarantined record, as far as its key opens it. */
export function openParts(sealed: SealedParts, quarantineKey: Uint8Array): OpenedParts {
  const key = openPart(quarantineKey, 'key', sealed.sealed_key);
  const headers = openPart(quarantineKey, 'headers', sealed.sealed_headers);
  return {
    key: key === 'lost' ? null : key,
    value: openValue(sealed, quarantineKey),
    headersText: headers === null || headers === 'lost' ? null : headers.toString('utf8'),
  };
}
