import { setFlagsFromString } from 'node:v8';

/**
 * Keeps what a request or an intent allocates in the young generation. V8 otherwise moves the allocation sites of
 * objects that outlived a few early collections (a batch in flight is enough) to the old generation for good: dead ones
 * there keep everything they refer to alive until the next full collection, and each young collection copies it. Seen
 * in 4 of 6 starts: pauses of 20 ms instead of 1 to 4 ms (docs/decisions/0029-no-pretenuring.md). To be called first.
 */
export function stopPretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
