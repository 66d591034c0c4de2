import type { Environment, WalletEnvironment } from '#contracts';
import type { AddressFinding, AddressProbe, Clock } from '#platform';
import { probeAddress, tlsProblem } from '#platform';

import type { Examination, Examined, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, skipped, warning } from '../finding.js';
import { connectMs } from '../limits.js';
import { durationText } from '../quantity.js';

const name = 'partner.address';
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

function judge(place: Place, finding: AddressFinding, now: number): Finding {
  const at = `${name}.${place.variable}`;
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

async function examine(wallet: WalletEnvironment, { clock, httpsProxy }: AddressTools): Promise<Examined<true>> {
  if (httpsProxy !== null) {
    return { findings: [skipped(name, 'reached through HTTPS_PROXY: see partner.token')], value: true };
  }
  const places = placesOf(wallet);
  const findings = await Promise.all(
    places.map(async (place) => judge(place, await probeAddress(probeOf(place, wallet.ca?.value)), clock.now())),
  );
  return { findings, value: findings.some(({ state }) => state === 'failed') ? null : true };
}

/** The partner's addresses: name, connection, certificate. Through a proxy only the calls themselves can tell. */
export function checkAddress(examination: Examination, wallet: WalletEnvironment, tools: AddressTools): Step<true> {
  const plan = { name, timeoutMs: connectMs, remedy: 'Try it by hand: curl -v WALLET_BASE_URL' };
  return examination.check(plan, () => examine(wallet, tools));
}
