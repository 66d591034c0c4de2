import { X509Certificate } from 'node:crypto';

import type { Environment, Program, WalletEnvironment } from '#contracts';
import type { DialectLayer, LookupReport, PassLookup, TokenReport } from '#gateway';
import { connectionTls, createGateway, DialectRegistry, loadDialectFile } from '#gateway';
import type { AddressFinding, AddressProbe, Random } from '#platform';
import { probeAddress, tlsProblem } from '#platform';

import { gatewayOptions } from '../partner/gateway-options.js';
import type { Given } from './checks.js';
import { checkMs, connectMs } from './checks.js';
import type { ClockReading } from './clocks.js';
import { judgeSkew, readDateHeader } from './clocks.js';
import type { Finding } from './finding.js';
import { durationText, failed, ok, skipped, warning } from './finding.js';

const addressName = 'partner.address';
const probeMs = connectMs - 500;
/** Time to get a new certificate issued. */
const certificateMsMin = 14 * 86_400_000;

interface Place {
  readonly variable: 'WALLET_BASE_URL' | 'WALLET_AUTH_URL';
  readonly url: URL;
}

type Closed = Extract<AddressFinding, { kind: 'closed' }>;

const stageTexts: Readonly<Record<Closed['stage'], string>> = {
  name: 'its host name is not known',
  connection: 'no connection was made',
  tls: 'TLS was not agreed on',
};

function stageRemedy({ stage, code }: Closed, { variable, url }: Place): string {
  if (stage === 'name') return `Check the host in ${variable}, and this machine’s name service.`;
  if (stage === 'connection') {
    return `Is the partner up? May this machine reach it, or is a proxy needed (HTTPS_PROXY)? Try: curl -v ${url.origin}. Nothing is lost meanwhile.`;
  }
  return tlsRemedy(code, { variable, url });
}

const ownCertificate = 'WALLET_CERT_FILE and WALLET_KEY_FILE';

function tlsRemedy(code: string, { variable, url }: Place): string {
  const problem = tlsProblem(code);
  if (problem === 'our-certificate') {
    return `The partner does not take our certificate: ${ownCertificate} must hold one in date that it knows. Nothing is lost meanwhile.`;
  }
  if (code.endsWith('ALERT_HANDSHAKE_FAILURE')) return `The partner may want a certificate of ours: ${ownCertificate}.`;
  if (code.endsWith('ALERT_PROTOCOL_VERSION')) return 'Does it take nothing older than TLS 1.3? WALLET_TLS_MAX=1.3';
  if (problem === 'expired') return 'The partner’s certificate has expired: tell them. Nothing is lost meanwhile.';
  if (problem === 'wrong-host') return `Its certificate names another host: check the host in ${variable}.`;
  return `Is a private authority in use (WALLET_CA_FILE), or something in between that replaces certificates? Try: curl -v ${url.origin}`;
}

/** How far a connection to an address of the partner came. */
export function judgeAddress(place: Place, finding: AddressFinding, now: number): Finding {
  const at = `${addressName}.${place.variable}`;
  const { host } = place.url;
  if (finding.kind === 'closed') {
    const detail = `${host}: ${stageTexts[finding.stage]} (${finding.code})`;
    return failed(at, { detail, remedy: stageRemedy(finding, place) });
  }
  const { certificateEndsAt } = finding;
  if (certificateEndsAt === null) return ok(at, `${host}, without TLS`);
  const leftMs = certificateEndsAt - now;
  const detail = `${host}, its certificate is good for ${durationText(Math.max(0, leftMs))}`;
  if (leftMs > certificateMsMin) return ok(at, detail);
  return warning(at, { detail, remedy: 'Ask the partner to renew it: when it ends, nothing can be delivered.' });
}

function defaultPort(url: URL): number {
  return url.protocol === 'https:' ? 443 : 80;
}

const certificateName = 'partner.certificate';

/** The certificate that we show. @param now epoch ms */
export function judgeOwnCertificate(pem: string, now: number): Finding {
  const leftMs = new X509Certificate(pem).validToDate.getTime() - now;
  const remedy = `Renew it: ${ownCertificate}. The files are followed, nothing need be restarted.`;
  if (leftMs <= 0) return failed(certificateName, { detail: 'the certificate that we show has ended', remedy });
  const detail = `the one that we show is good for ${durationText(leftMs)}`;
  return leftMs > certificateMsMin ? ok(certificateName, detail) : warning(certificateName, { detail, remedy });
}

function probeOf({ url }: Place, tls: NonNullable<AddressProbe['tls']>): AddressProbe {
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort(url) : Number(url.port),
    tls: url.protocol === 'https:' ? tls : null,
    timeoutMs: probeMs,
  };
}

/** The token address is left out where it is the same host. */
function placesOf({ baseUrl, authUrl }: WalletEnvironment): readonly Place[] {
  const base = { variable: 'WALLET_BASE_URL', url: new URL(baseUrl) } as const;
  const auth = { variable: 'WALLET_AUTH_URL', url: new URL(authUrl) } as const;
  return base.url.origin === auth.url.origin ? [base] : [base, auth];
}

/** The partner's addresses: name, connection, certificate. Through a proxy only the calls themselves can tell. */
export async function checkAddress({ environment, clock, logger, opened }: Given): Promise<readonly Finding[]> {
  const { wallet, process: settings } = environment;
  if (wallet === null) return [skipped(addressName, 'no usable partner settings in this process')];
  const { connection = {} } = gatewayOptions({ current: environment }, new DialectRegistry(), { clock, logger });
  const isProxied = settings.httpsProxy !== null;
  const findings = isProxied
    ? [skipped(addressName, 'reached through HTTPS_PROXY: see partner.token')]
    : await Promise.all(
        placesOf(wallet).map(async (place) =>
          judgeAddress(place, await probeAddress(probeOf(place, connectionTls(connection))), clock.now()),
        ),
      );
  if (findings.every(({ state }) => state !== 'failed')) opened.address = true;
  return wallet.cert === null ? findings : [...findings, judgeOwnCertificate(wallet.cert.value, clock.now())];
}

const tokenName = 'partner.token';
/** Ends before the check does, which then says what was answered. */
const askMs = checkMs - 250;

const clientRefusedRemedy =
  'The partner knows the address, but not this client: check WALLET_CLIENT_ID, WALLET_CLIENT_SECRET and WALLET_SCOPE (or the ' +
  'files behind them). Was the secret rotated, or is WALLET_AUTH_URL of the other environment? Nothing is lost meanwhile.';
export const tokenAwayRemedy =
  'The token address does not answer as it should: check WALLET_AUTH_URL, then ask the partner. Calls wait for a token, ' +
  'nothing is lost meanwhile.';

const tokenRemedies: ReadonlyMap<string, string> = new Map([
  ['http-400', clientRefusedRemedy],
  ['http-401', clientRefusedRemedy],
  ['http-403', clientRefusedRemedy],
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

const tokenRefusals = new Set(['http-400', 'http-401', 'http-403']);

/** Distinguishes wrong credentials from a partner that cannot be reached. */
export function judgeToken(report: TokenReport): Finding {
  if (report.kind === 'failed') {
    const { code } = report;
    const what = tokenRefusals.has(code) ? 'the partner refuses our client' : 'no token was to be had';
    return failed(tokenName, { detail: `${what} (${code})`, remedy: tokenRemedies.get(code) ?? tokenAwayRemedy });
  }
  const detail = `obtained in ${durationText(report.durationMs)}, good for ${durationText(report.lifetimeMs)}`;
  if (report.shapeAlarms.length === 0) return ok(tokenName, detail);
  return warning(tokenName, {
    detail: `${detail}; not as documented: ${report.shapeAlarms.join(', ')}`,
    remedy: 'We do without them. Tell whoever talks to the partner.',
  });
}

/** How the token endpoint is spoken to; one that is wrong has its own finding. */
async function dialectFileOf({ dialectFile }: Environment): Promise<DialectLayer | null> {
  return dialectFile === null ? null : loadDialectFile(dialectFile).catch(() => null);
}

/** A token with the configured credentials: asked for once, and for no longer than this examination. */
export async function checkToken(given: Given<'address'>): Promise<readonly Finding[]> {
  const { environment, clock, logger, signal, opened, closing } = given;
  const dialects = new DialectRegistry({ file: await dialectFileOf(environment), programs: [] });
  const gateway = createGateway(gatewayOptions({ current: environment }, dialects, { clock, logger }));
  closing.push(() => gateway.close());
  const report = await gateway.partner.checkToken({ timeoutMs: askMs, signal });
  if (report.kind === 'granted') opened.partner = { calls: gateway.partner, dialects };
  return [judgeToken(report)];
}

/** Programs whose partner is asked. */
const programsAskedMax = 10;

const codeRemedies: ReadonlyMap<string, string> = new Map([
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
  ['tls-failure', 'TLS was not agreed on: see partner.address, WALLET_CA_FILE and HTTPS_PROXY.'],
]);

const silentRemedy =
  'The partner does not answer, or not in time: ask them. Nothing is lost meanwhile; compare WALLET_TIMEOUT_MS.';
const serverRemedy = 'The partner has trouble of its own: ask them. Nothing is lost meanwhile.';
const otherRemedy = 'Compare the programs file with what the partner configured; `npm run contract` says more.';

/** What to do about an outcome's code. */
export function codeRemedy(code: string): string {
  const known = codeRemedies.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('http-5')) return serverRemedy;
  return /timeout|connect|reset|dns|truncated|malformed/.test(code) ? silentRemedy : otherRemedy;
}

const lookupName = 'partner.lookup';
const clockName = 'clock.partner';

interface Lookup {
  readonly finding: Finding;
  readonly reading: ClockReading | null;
}

/** A member id that does not exist: what matters is that we understand the answer. */
function nobody({ brandId, programId, uniqueIdKey, lookup }: Program, random: Random): PassLookup {
  const uniqueId = `loyaltyd-doctor-${random.uuid()}`;
  const by = lookup.by === 'email' ? { parameter: 'email' as const, value: `${uniqueId}@example.invalid` } : null;
  return { brandId, programId, uniqueId, uniqueIdKey, ...(by !== null && { by }) };
}

const absentRemedy =
  'Whether a member has no pass would never be understood: set lookup.absent (statuses and pattern) of the dialect to the ' +
  'wording of the refusal; docs/partner-dialect.md. If the ids in the path are wrong, it is that which was refused.';

/** Judges the answer to a lookup of a member that does not exist. */
export function judgeLookup(program: string, report: LookupReport): Finding {
  const at = `${lookupName}.${program}`;
  switch (report.kind) {
    case 'absent':
      return ok(at, 'a member without a pass is answered as one');
    case 'found':
      return failed(at, {
        detail: 'a pass was answered for a member that nobody has',
        remedy:
          'Lookups do not select: check lookup.by and uniqueIdKey of the program, and lookup.trustWithoutMetaData of the dialect.',
      });
    case 'failed': {
      const { code } = report;
      const isMisread = code === 'refused' || code === 'empty-list';
      const detail = `${isMisread ? 'the answer for a member without a pass is not understood' : 'no usable answer'} (${code})`;
      return failed(at, { detail, remedy: isMisread ? absentRemedy : codeRemedy(code) });
    }
    default:
      return report satisfies never;
  }
}

async function askLookup(
  [program, settings]: readonly [string, Program],
  { partner, clock, random, signal }: Given<'partner'>,
): Promise<Lookup> {
  const report = await partner.calls.findPass(nobody(settings, random), { timeoutMs: askMs, signal });
  return { finding: judgeLookup(program, report), reading: readDateHeader(report.evidence, clock.now()) };
}

function judgeClock(readings: readonly ClockReading[]): Finding {
  const best = readings.toSorted((one, other) => one.uncertaintyMs - other.uncertaintyMs)[0];
  if (best === undefined) return skipped(clockName, 'the partner’s answers carry no Date header');
  return judgeSkew(clockName, 'the partner', best);
}

/** One lookup for each program, and the partner's clock by its answers. */
export async function checkLookups(given: Given<'partner' | 'programs'>): Promise<readonly Finding[]> {
  const { loaded, layers } = given.programs;
  // It is spoken to in the programs' own dialects.
  given.partner.dialects.replace(layers);
  const entries = Object.entries(loaded.file.programs);
  const lookups = await Promise.all(entries.slice(0, programsAskedMax).map((entry) => askLookup(entry, given)));
  const rest = entries.length - lookups.length;
  const others = rest === 0 ? [] : [skipped(lookupName, `${rest} more programs are not asked`)];
  const readings = lookups.flatMap(({ reading }) => reading ?? []);
  return [...lookups.map(({ finding }) => finding), ...others, judgeClock(readings)];
}
