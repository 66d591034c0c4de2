import { createHash } from 'node:crypto';

import type { AllowedCleartext } from './cleartext.js';
import type { EncryptionKey, Environment } from './environment.js';
import { isLoopback, type VariableReader } from './variables.js';

/** SHA-256 of the secrets that anybody reads in docker-compose.yml, in hex. Its spec holds them against that file. */
const publishedDigests: ReadonlySet<string> = new Set([
  '9a07b1f91c9988dd10be6d4e1c71407831ac07c2b432bb8eabd3eebef75de7f6',
  '8aa203921e9b2adba121fbbe07504a30a9c1a647dd4961c1a355947280016649',
]);

/** Of 32 random bytes some thirty differ; fewer than this differ in less than one of 10^15 keys. */
const differentBytesMin = 16;

const exception = 'unless the partner is on this machine, without TLS, or ALLOW_CLEARTEXT names partner';
const rules = {
  published: `is the one that this repository shows to everybody: make one of your own (docs/configuration.md), ${exception}`,
  'not random': `must be random: head -c 32 /dev/urandom | base64, ${exception}`,
} as const;

type Guessable = keyof typeof rules;

const isPublished = (sha256: string): boolean => publishedDigests.has(sha256);

/** Why anybody could guess a key, or null. */
export function guessableKey(key: Uint8Array): Guessable | null {
  if (new Set(key).size < differentBytesMin) return 'not random';
  return isPublished(createHash('sha256').update(key).digest('hex')) ? 'published' : null;
}

/** What Vault has wrapped is judged once it is unwrapped. */
function guessableOf(keys: readonly EncryptionKey[] | null): Guessable | null {
  const judged = keys?.map((key) => (key instanceof Uint8Array ? guessableKey(key) : null)) ?? [];
  return judged.find((each) => each !== null) ?? null;
}

/** A real partner answers elsewhere, by TLS: this is a stack of one's own. */
function isPartnerHere(variables: VariableReader): boolean {
  const { protocol, hostname } = URL.parse(variables.text('WALLET_BASE_URL') ?? '') ?? { protocol: '', hostname: '' };
  return protocol === 'http:' && isLoopback(hostname);
}

/**
 * Refuses secrets that anybody could guess, unless the partner is that of a stack of one's own.
 * @returns those that are used there all the same, by their variable
 */
export function judgeGuessable(
  variables: VariableReader,
  allowed: AllowedCleartext,
  { encryptionKeys, operations }: Pick<Environment, 'encryptionKeys' | 'operations'>,
): Environment['guessable'] {
  const found = {
    LOYALTYD_ENCRYPTION_KEY: guessableOf(encryptionKeys),
    OPS_TOKENS: operations.tokens.some(({ sha256 }) => isPublished(sha256)) ? ('published' as const) : null,
  };
  const guessable = Object.entries(found).filter((each): each is [string, Guessable] => each[1] !== null);
  if (allowed.has('partner') || isPartnerHere(variables)) return Object.fromEntries(guessable);
  for (const [name, why] of guessable) variables.fail(name, rules[why]);
  return {};
}
