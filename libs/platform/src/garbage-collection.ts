import { setFlagsFromString } from 'node:v8';

/**
 * Sets V8's collector up for a process that allocates much and keeps little. To be called first.
 *
 * What a request or an intent allocates stays in the young generation. V8 otherwise moves the allocation sites of objects
 * that outlived a few early collections (a batch in flight is enough) to the old generation for good: dead ones there keep
 * everything they refer to alive until the next full collection, and each young collection copies it. Seen in 4 of 6
 * starts: pauses of 20 ms instead of 1 to 4 ms (docs/decisions/0015-what-makes-it-fast.md).
 *
 * The old generation may grow by half before it is collected, by a tenth otherwise: a full collection marks for 60 ms
 * (docs/decisions/0015-what-makes-it-fast.md).
 */
export function setUpCollector(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--heap-growing-percent=50');
}
