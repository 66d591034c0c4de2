import type { Random } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';

/** The keys that ingest needs beside the members'. */
export interface IngestKeys {
  readonly members: MemberKeys;
  /** Keys the digests of contents. */
  readonly mac: Uint8Array;
  readonly quarantine: Uint8Array;
  readonly random: Random;
}
