import type { SourceRecord } from '#events/core';

/** JSON with each number as the text that was sent: nothing is computed in floats. */
export type ExactDocument =
  null | boolean | string | readonly ExactDocument[] | { readonly [name: string]: ExactDocument };

/** What a record holds. `detail` of what cannot be read never holds a value. */
export type Documents =
  | { readonly kind: 'documents'; readonly documents: readonly ExactDocument[] }
  | { readonly kind: 'ignored'; readonly reason: 'tombstone' | 'delete' | 'update' }
  | { readonly kind: 'unreadable'; readonly detail: string };

/** How the records of a source are written. */
export interface SourceFormat {
  /** @throws UnavailableError while what it needs to read them is away: they are read again later */
  read(record: Omit<SourceRecord, 'now'>): Documents | Promise<Documents>;
}

/** Something that is needed to read a record is away: no record is to blame, and each is read again later. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

export function oneDocument(document: ExactDocument): Documents {
  return { kind: 'documents', documents: [document] };
}

export function unreadable(detail: string): Documents {
  return { kind: 'unreadable', detail };
}

export const tombstone: Documents = { kind: 'ignored', reason: 'tombstone' };
