import type { Secret } from './environment.js';
import { parsePairs } from './pairs.js';
import type { VariableReader } from './variables.js';

/** RFC 9110, section 5.6.2. */
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible ASCII, and spaces within: what every server reads alike. */
const valuePattern = /^[!-~](?:[ -~]{0,8190}[!-~])?$/;

/** What we set ourselves, or what says how a message is framed and which way it goes. */
const ownNames: ReadonlySet<string> = new Set([
  ...['authorization', 'accept', 'accept-encoding', 'content-type', 'content-encoding', 'user-agent', 'traceparent'],
  ...['host', 'content-length', 'transfer-encoding', 'te', 'trailer', 'connection', 'keep-alive', 'upgrade', 'expect'],
]);

function isOwn(name: string): boolean {
  return ownNames.has(name) || name.startsWith('proxy-');
}

/** Headers by their names in lower case, of a text that `readExtraHeaders` has let through. */
export function extraHeadersOf(secret: Secret | null): Readonly<Record<string, string>> {
  const pairs = parsePairs(secret?.value ?? '') ?? {};
  return Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), value]));
}

/** `name=value,name=value`, percent-encoded: further headers towards the partner. All of it is a secret, for a value may be one. */
export function readExtraHeaders(
  variables: VariableReader,
  variable: 'WALLET_HEADERS' | 'WALLET_TOKEN_HEADERS',
): Secret | null {
  const secret = variables.secret(variable);
  if (secret === null) return null;
  const problem = problemOf(secret.value);
  return problem === null ? secret : variables.fail(variable, problem);
}

function problemOf(text: string): string | null {
  const pairs = parsePairs(text);
  if (pairs === null) return 'must be a comma list of name=value, percent-encoded';
  const names = Object.keys(pairs);
  const [wrong] = names.filter((name) => !namePattern.test(name));
  if (wrong !== undefined) return 'a name is none of a header';
  const [own] = names.filter((name) => isOwn(name.toLowerCase()));
  if (own !== undefined) return `${own.toLowerCase()} is ours to set`;
  const isTwice = new Set(names.map((name) => name.toLowerCase())).size < text.split(',').filter(hasText).length;
  if (isTwice) return 'one header is named twice';
  const [unfit] = names.filter((name) => !valuePattern.test(pairs[name] ?? ''));
  return unfit === undefined
    ? null
    : `the value of ${unfit.toLowerCase()} must be visible ASCII, without spaces at its ends`;
}

function hasText(item: string): boolean {
  return item.trim() !== '';
}
