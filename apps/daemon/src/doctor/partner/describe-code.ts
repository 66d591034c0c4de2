const texts: ReadonlyMap<string, string> = new Map([
  [
    'unauthorized',
    'The partner gave us a token and then refused it: is WALLET_SCOPE the administration scope, are WALLET_AUTH_URL and WALLET_BASE_URL of one environment?',
  ],
  [
    'http-403',
    'Our client may not touch this brand or program: check brandId and programId, then ask the partner for the rights.',
  ],
  [
    'http-404',
    'The partner does not know this path: check brandId and programId in the programs file, and WALLET_BASE_URL.',
  ],
  [
    'too-many-requests',
    'The partner limits us. It goes on by itself; if it stays, lower limits.requestsPerSecond of the program.',
  ],
  [
    'not-a-page',
    'The answer has no list of passes: check WALLET_BASE_URL, then the dialect (docs/partner-dialect.md, list).',
  ],
  ['tls-failure', 'TLS was not agreed on: see partner.address, WALLET_CA_FILE and HTTPS_PROXY.'],
]);

const silentRemedy =
  'The partner does not answer, or not in time: ask them. Nothing is lost meanwhile; compare WALLET_TIMEOUT_MS.';
const serverRemedy = 'The partner has trouble of its own: ask them. Nothing is lost meanwhile.';
const otherRemedy = 'Compare the programs file with what the partner configured; `npm run contract` says more.';

/** What to do about an outcome's code. */
export function codeRemedy(code: string): string {
  const known = texts.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('http-5')) return serverRemedy;
  return /timeout|connect|reset|dns|truncated|malformed/.test(code) ? silentRemedy : otherRemedy;
}
