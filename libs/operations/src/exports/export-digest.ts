import { createHash } from 'node:crypto';

/** Of an export without lines. */
export const emptyDigest = '';

/**
 * The digest of all lines so far and one more: SHA-256 over the digest before (its bytes) and the line with its line
 * feed. A chain, so that it can be carried on by another process from what was stored.
 * @param digest hexadecimal
 */
export function digestWith(digest: string, line: string): string {
  return createHash('sha256').update(digest, 'hex').update(line).update('\n').digest('hex');
}
