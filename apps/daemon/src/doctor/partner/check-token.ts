import type { Partner, TokenReport } from '#gateway';

import type { Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, warning } from '../finding.js';
import { readMs } from '../limits.js';
import { durationText } from '../quantity.js';

const name = 'partner.token';
const askMs = readMs - 250;

const refusedRemedy =
  'The partner knows the address, but not this client: check WALLET_CLIENT_ID, WALLET_CLIENT_SECRET and WALLET_SCOPE (or the ' +
  'files behind them). Was the secret rotated, or is WALLET_AUTH_URL of the other environment? Nothing is lost meanwhile.';
const awayRemedy =
  'The token address does not answer as it should: check WALLET_AUTH_URL, then ask the partner. Calls wait for a token, ' +
  'nothing is lost meanwhile.';

const remedies: ReadonlyMap<string, string> = new Map([
  ['http-400', refusedRemedy],
  ['http-401', refusedRemedy],
  ['http-403', refusedRemedy],
  [
    'http-404',
    'WALLET_AUTH_URL is wrong: /oauth2/token is appended to it. It differs from WALLET_BASE_URL, and by environment.',
  ],
  [
    'answer-unreadable',
    'Something answers that is no token address: check WALLET_AUTH_URL, and whether a proxy answers in its place.',
  ],
  [
    'credentials-unreadable',
    'The files of WALLET_CLIENT_ID_FILE and WALLET_CLIENT_SECRET_FILE must exist and be readable by this user.',
  ],
  ['tls-failure', 'TLS was not agreed on: see partner.address, WALLET_CA_FILE and HTTPS_PROXY.'],
]);

const refusals = new Set(['http-400', 'http-401', 'http-403']);

/** A wrong client and a partner that cannot be reached are told apart. */
export function judgeToken(report: TokenReport): Finding {
  if (report.kind === 'failed') {
    const { code } = report;
    const what = refusals.has(code) ? 'the partner refuses our client' : 'no token was to be had';
    return failed(name, { detail: `${what} (${code})`, remedy: remedies.get(code) ?? awayRemedy });
  }
  const detail = `obtained in ${durationText(report.durationMs)}, good for ${durationText(report.lifetimeMs)}`;
  if (report.shapeAlarms.length === 0) return ok(name, detail);
  return warning(name, {
    detail: `${detail}; not as documented: ${report.shapeAlarms.join(', ')}`,
    remedy: 'We do without them. Tell whoever talks to the partner.',
  });
}

/** A token with the configured credentials: asked for once, and for no longer than this examination. */
export function checkToken(examination: Examination, address: Step<true>, open: () => Partner): Step<Partner> {
  return examination.after(address, { name, timeoutMs: readMs, remedy: awayRemedy }, async (_, signal) => {
    const partner = open();
    const report = await partner.checkToken({ timeoutMs: askMs, signal });
    return { findings: [judgeToken(report)], value: report.kind === 'granted' ? partner : null };
  });
}
