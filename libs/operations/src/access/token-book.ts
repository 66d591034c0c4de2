import { createHash, timingSafeEqual } from 'node:crypto';

import type { OperatorToken } from '#contracts';
import type { Operator } from './operator.js';

interface Entry extends Operator {
  readonly digest: Buffer;
}

/** The tokens of `OPS_TOKENS`. Only their digests are known here. */
export class TokenBook {
  private readonly entries: readonly Entry[];

  constructor(tokens: readonly OperatorToken[]) {
    this.entries = tokens.map(({ name, role, sha256 }) => ({ name, role, digest: Buffer.from(sha256, 'hex') }));
  }

  /** Whose token it is, or null. Looks at all of them, so that the time tells nothing. */
  operatorOf(token: string): Operator | null {
    const digest = createHash('sha256').update(token).digest();
    let found: Operator | null = null;
    for (const { name, role, digest: known } of this.entries) {
      if (timingSafeEqual(known, digest)) found = { name, role };
    }
    return found;
  }
}
