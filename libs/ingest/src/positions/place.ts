import type { LastRecord, SourcePartition } from '#intents';

import type { FetchedBatch, FetchedRecord } from '../source/source.js';
import type { Arrival } from '../step/ingest-step.js';

/** Where one of our partitions stands. */
export interface Place {
  readonly source: SourcePartition;
  /** The offset that the next fetch must ask for. */
  fetchFrom: number;
  /** Everything below is durable. Beyond `fetchFrom` while the last record consumed is fetched once more. */
  standsAt: number;
  /** The record that must come first: the last one consumed. */
  proof: LastRecord | null;
  /** A fetch from here was seen to begin later although nothing was lost: what lies between was filtered out. */
  readonly provenHoleAt: number | null;
  /** Another record came where the last one consumed had been: the topic was created anew. */
  isForeign: boolean;
}

/** As the last record consumed is remembered by. */
export type Fingerprint = (record: FetchedRecord) => Uint8Array;

/**
 * Where the proof is gone, retention or compaction took it: nothing is proven, and nothing speaks against us. The same where
 * it lies in a batch that is not taken apart any more, because the limit was lowered.
 */
function isProven(place: Place, batch: FetchedBatch, fingerprint: Fingerprint): boolean {
  const { proof } = place;
  const first = batch.records[0];
  if (proof === null || batch.fetchedFrom !== place.fetchFrom || first?.offset !== proof.offset) return true;
  if (first.undecoded !== undefined) return true;
  return Buffer.compare(fingerprint(first), proof.fingerprint) === 0;
}

/** What is to be made of a batch that has just arrived, as far as its partition's place tells. */
export function arrivalAt(place: Place, batch: FetchedBatch, fingerprint: Fingerprint): Arrival {
  if (!isProven(place, batch, fingerprint)) {
    place.isForeign = true;
    return { kind: 'foreign' };
  }
  if (batch.fetchedFrom === place.fetchFrom) place.proof = null;
  const isHole = place.provenHoleAt === place.fetchFrom;
  const fetchFrom = isHole ? Math.max(place.fetchFrom, batch.fetchedFrom) : place.fetchFrom;
  return { kind: 'placed', fetchFrom, standsAt: Math.max(place.standsAt, fetchFrom) };
}

/** Everything below `nextOffset` is durable: the next fetch begins there. */
export function movePlace(place: Place, nextOffset: number): void {
  place.standsAt = Math.max(place.standsAt, nextOffset);
  place.fetchFrom = place.standsAt;
  place.proof = null;
}
