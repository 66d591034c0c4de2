import { createHash, randomBytes } from 'node:crypto';

export interface OperatorToken {
  /** What a person sends. */
  readonly token: string;
  /** What the daemon is told, for `OPS_TOKENS`: it can check the token, and nobody can read it back. */
  readonly setting: string;
}

const tokenBytes = 24;

/** A token for one run of the house, with every right. */
export function createOperatorToken(name: string): OperatorToken {
  const token = randomBytes(tokenBytes).toString('base64url');
  return { token, setting: `${name}:admin:${createHash('sha256').update(token).digest('hex')}` };
}
