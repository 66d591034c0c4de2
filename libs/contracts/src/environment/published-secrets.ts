import { createHash } from 'node:crypto';

import type { AllowedCleartext } from './cleartext.js';
import type { Environment } from './environment.js';
import type { VariableReader } from './variables.js';

/** SHA-256 of the secrets that anybody reads in docker-compose.yml, in hex. Its spec holds them against that file. */
const publishedDigests: ReadonlySet<string> = new Set([
  '9a07b1f91c9988dd10be6d4e1c71407831ac07c2b432bb8eabd3eebef75de7f6',
  '8aa203921e9b2adba121fbbe07504a30a9c1a647dd4961c1a355947280016649',
]);

const rule =
  'is the one that this repository shows to everybody, for a stack on one machine: make one of your own ' +
  '(docs/configuration.md), or ALLOW_CLEARTEXT names partner, which a real one refuses';

/** Whether a key is one of those that anybody reads here. */
export const isPublishedKey = (key: Uint8Array): boolean =>
  publishedDigests.has(createHash('sha256').update(key).digest('hex'));

type Parts = Pick<Environment, 'encryptionKeys' | 'operations'>;

/** Refuses secrets that everybody knows, unless the partner is that of a stack of one's own, without TLS. */
export function judgePublishedSecrets(
  variables: VariableReader,
  allowed: AllowedCleartext,
  { encryptionKeys, operations }: Parts,
): void {
  if (allowed.has('partner')) return;
  if (encryptionKeys?.some((key) => key instanceof Uint8Array && isPublishedKey(key)) === true) {
    variables.fail('LOYALTYD_ENCRYPTION_KEY', rule);
  }
  if (operations.tokens.some(({ sha256 }) => publishedDigests.has(sha256))) variables.fail('OPS_TOKENS', rule);
}
