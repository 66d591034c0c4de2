import type { Environment, WalletEnvironment } from '#contracts';
import type { Gateway, Partner, TokenReport } from '#gateway';
import { createGateway, DialectRegistry } from '#gateway';
import type { AddressFinding, AddressProbe, Clock, Logger, Random } from '#platform';
import { probeAddress, tlsProblem } from '#platform';

import { gatewayOptions } from '../partner/gateway-options.js';
import type { ReadPrograms } from './configuration.js';
import type { Examination, Examined, Step } from './examination.js';
import { connectMs, readMs } from './examination.js';
import type { Finding } from './finding.js';
import { durationText, failed, ok, skipped, warning } from './finding.js';
import { checkListings, checkLookups } from './partner-programs.js';

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
  const problem = tlsProblem(code);
  if (problem === 'expired') return 'The partner’s certificate has expired: tell them. Nothing is lost meanwhile.';
  if (problem === 'wrong-host') return `Its certificate names another host: check the host in ${variable}.`;
  return `Is a private authority in use (WALLET_CA_FILE), or something in between that replaces certificates? Try: curl -v ${url.origin}`;
}

function judgeAddress(place: Place, finding: AddressFinding, now: number): Finding {
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

function probeOf({ url }: Place, ca: string | undefined): AddressProbe {
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort(url) : Number(url.port),
    tls: url.protocol === 'https:' ? { ...(ca !== undefined && { ca }) } : null,
    timeoutMs: probeMs,
  };
}

/** The token address is left out where it is the same host. */
function placesOf({ baseUrl, authUrl }: WalletEnvironment): readonly Place[] {
  const base = { variable: 'WALLET_BASE_URL', url: new URL(baseUrl) } as const;
  const auth = { variable: 'WALLET_AUTH_URL', url: new URL(authUrl) } as const;
  return base.url.origin === auth.url.origin ? [base] : [base, auth];
}

interface AddressTools {
  readonly clock: Clock;
  readonly httpsProxy: Environment['process']['httpsProxy'];
}

async function examineAddresses(
  wallet: WalletEnvironment,
  { clock, httpsProxy }: AddressTools,
): Promise<Examined<true>> {
  if (httpsProxy !== null) {
    return { findings: [skipped(addressName, 'reached through HTTPS_PROXY: see partner.token')], value: true };
  }
  const places = placesOf(wallet);
  const findings = await Promise.all(
    places.map(async (place) => judgeAddress(place, await probeAddress(probeOf(place, wallet.ca?.value)), clock.now())),
  );
  return { findings, value: findings.some(({ state }) => state === 'failed') ? null : true };
}

/** The partner's addresses: name, connection, certificate. Through a proxy only the calls themselves can tell. */
export function checkAddress(examination: Examination, wallet: WalletEnvironment, tools: AddressTools): Step<true> {
  const plan = { name: addressName, timeoutMs: connectMs, remedy: 'Try it by hand: curl -v WALLET_BASE_URL' };
  return examination.check(plan, () => examineAddresses(wallet, tools));
}

const tokenName = 'partner.token';
const tokenAskMs = readMs - 250;

const clientRefusedRemedy =
  'The partner knows the address, but not this client: check WALLET_CLIENT_ID, WALLET_CLIENT_SECRET and WALLET_SCOPE (or the ' +
  'files behind them). Was the secret rotated, or is WALLET_AUTH_URL of the other environment? Nothing is lost meanwhile.';
const tokenAwayRemedy =
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

/** A wrong client and a partner that cannot be reached are told apart. */
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

/** A token with the configured credentials: asked for once, and for no longer than this examination. */
export function checkToken(examination: Examination, address: Step<true>, open: () => Partner): Step<Partner> {
  return examination.after(
    address,
    { name: tokenName, timeoutMs: readMs, remedy: tokenAwayRemedy },
    async (_, signal) => {
      const partner = open();
      const report = await partner.checkToken({ timeoutMs: tokenAskMs, signal });
      return { findings: [judgeToken(report)], value: report.kind === 'granted' ? partner : null };
    },
  );
}

export interface PartnerTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What is opened to ask the partner, and closed when nobody asks any more. */
class OpenedPartner {
  private readonly dialects = new DialectRegistry();
  private gateway: Gateway | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly tools: PartnerTools,
  ) {}

  open(): Partner {
    this.gateway ??= createGateway(gatewayOptions({ current: this.environment }, this.dialects, this.tools));
    return this.gateway.partner;
  }

  /** From here on it is spoken to in the programs' own dialects. */
  async speaking(
    ready: Promise<readonly [Partner, ReadPrograms] | null>,
  ): Promise<readonly [Partner, ReadPrograms] | null> {
    const both = await ready;
    if (both !== null) this.dialects.replace(both[1].layers);
    return both;
  }

  async close(): Promise<void> {
    await this.gateway?.close();
  }
}

/** Address, token, and two harmless calls for each program. @returns what closes the connections */
export function examinePartner(
  examination: Examination,
  programs: Step<ReadPrograms>,
  { environment, tools }: { readonly environment: Environment; readonly tools: PartnerTools },
): () => Promise<void> {
  const { wallet, process: settings } = environment;
  if (wallet === null) {
    examination.add(skipped('partner.address', 'no usable partner settings in this process'));
    return () => Promise.resolve();
  }
  const opened = new OpenedPartner(environment, tools);
  const address = checkAddress(examination, wallet, { clock: tools.clock, httpsProxy: settings.httpsProxy });
  const token = checkToken(examination, address, () => opened.open());
  const { name, value } = examination.both(token, programs);
  const ready = { name, value: opened.speaking(value) };
  checkLookups(examination, ready, tools);
  checkListings(examination, ready);
  return () => opened.close();
}
