import type { SourceRecord } from '../core/source-record.js';

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
  /** @throws while what it needs to read them is away: they are read again later */
  read(record: SourceRecord): Documents | Promise<Documents>;
}
