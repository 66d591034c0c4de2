import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Clock } from '#platform';

const nonceBytes = 32;
/** Epoch milliseconds. */
const timeBytes = 6;
const saidBytes = nonceBytes + timeBytes;
const lifeMs = 10 * 60_000;
/** Within the life of one: more were never meant to be made. */
const redeemedMax = 16;

interface LoginLinksOptions {
  /** 32 random bytes, made for one run: with them one can make links. */
  readonly key: Uint8Array;
  /** What a link is exchanged for. */
  readonly token: string;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Links that log an operator in once, within ten minutes. The command that starts a daemon makes and prints them, and the daemon
 * redeems them: the two share a key and nothing else, so that nothing has to pass between them.
 */
export class LoginLinks {
  /** Until when each code could be used again, epoch ms, by what the key has made of it. */
  private readonly redeemed = new Map<string, number>();

  constructor(private readonly options: LoginLinksOptions) {}

  /** A code that works from now on. */
  make(): string {
    const said = Buffer.alloc(saidBytes);
    randomBytes(nonceBytes).copy(said);
    said.writeUIntBE(this.options.clock.now() + lifeMs, nonceBytes, timeBytes);
    return Buffer.concat([said, this.signatureOf(said)]).toString('base64url');
  }

  /** The token, once; null: the code is not ours, too old, or used. */
  redeem(code: string): string | null {
    const bytes = Buffer.from(code, 'base64url');
    const [said, signature] = [bytes.subarray(0, saidBytes), bytes.subarray(saidBytes)];
    const expected = this.signatureOf(said);
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null;
    const until = said.readUIntBE(nonceBytes, timeBytes);
    return this.use(expected.toString('base64url'), until) ? this.options.token : null;
  }

  private use(name: string, until: number): boolean {
    const now = this.options.clock.now();
    for (const [other, end] of this.redeemed) if (end <= now) this.redeemed.delete(other);
    if (until <= now || this.redeemed.has(name) || this.redeemed.size >= redeemedMax) return false;
    this.redeemed.set(name, until);
    return true;
  }

  private signatureOf(said: Uint8Array): Buffer {
    return createHmac('sha256', this.options.key).update(said).digest();
  }
}
