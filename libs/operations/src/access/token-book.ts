import { createHash, timingSafeEqual } from 'node:crypto';

import type { OperatorToken } from '#contracts';
import type { Operator } from './operator.js';

interface Entry extends Operator {
  readonly digest: Buffer;
}

/** The tokens of `OPS_TOKENS` in force. Only their digests are known here. */
export class TokenBook {
  private read: readonly OperatorToken[] = [];
  private entries: readonly Entry[] = [];

  /** @param tokens asked each time; another list is another array */
  constructor(private readonly tokens: () => readonly OperatorToken[]) {}

  /** Whose token it is, or null. Looks at all of them, so that the time tells nothing. */
  operatorOf(token: string): Operator | null {
    const digest = createHash('sha256').update(token).digest();
    const found = this.find(digest);
    return found === null ? null : { ...found, isStillIn: () => this.find(digest)?.role === found.role };
  }

  private find(digest: Buffer): Pick<Operator, 'name' | 'role'> | null {
    let found: Pick<Operator, 'name' | 'role'> | null = null;
    for (const { name, role, digest: known } of this.current()) {
      if (timingSafeEqual(known, digest)) found = { name, role };
    }
    return found;
  }

  private current(): readonly Entry[] {
    const tokens = this.tokens();
    if (tokens !== this.read) {
      this.read = tokens;
      this.entries = tokens.map(({ name, role, sha256 }) => ({ name, role, digest: Buffer.from(sha256, 'hex') }));
    }
    return this.entries;
  }
}
