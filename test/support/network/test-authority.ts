import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** The few forms of DER (X.690) that a certificate is made of. */

const long = 0x80;

function lengthOf(bytes: number): Buffer {
  if (bytes < long) return Buffer.from([bytes]);
  const text = bytes.toString(16);
  const digits = Buffer.from(text.length % 2 === 0 ? text : `0${text}`, 'hex');
  return Buffer.concat([Buffer.from([long | digits.length]), digits]);
}

/** Any value by its tag. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const setOf = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
const octets = (content: Uint8Array): Buffer => der(0x04, content);
const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.from([0]), content);
const yes = (): Buffer => der(0x01, Buffer.from([0xff]));
/** Must be positive and its first byte below 0x80. */
const integer = (content: Uint8Array): Buffer => der(0x02, content);
const text = (value: string): Buffer => der(0x0c, Buffer.from(value, 'utf8'));

/** Until 2049, as RFC 5280 section 4.1.2.5 has it. */
const utcTime = (at: Date): Buffer =>
  der(
    0x17,
    Buffer.from(
      at
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2),
      'latin1',
    ),
  );

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (value: number): number[] => {
    const digits = [value & 0x7f];
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | long);
    return digits;
  };
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A certificate and its key, both in PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

interface CertificateRequest {
  /** DNS names and IPv4 addresses that it is good for. */
  readonly hosts: readonly string[];
  /** By default the first host. */
  readonly commonName?: string;
  /** It ended yesterday. */
  readonly isExpired?: boolean;
}

/** An authority of our own, for as long as a spec runs. */
export interface TestAuthority {
  /** Its own certificate, PEM: what others trust. */
  readonly certificate: string;
  issue(request: CertificateRequest): IssuedCertificate;
}

interface Draft {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly days: readonly [number, number];
  readonly extensions: readonly Buffer[];
}

const dayMs = 86_400_000;
const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));

const nameOf = (commonName: string): Buffer => sequence(setOf(sequence(objectId('2.5.4.3'), text(commonName))));

const pem = (kind: string, content: Buffer): string =>
  `-----BEGIN ${kind}-----\n${content.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END ${kind}-----\n`;

const alternativeName = (host: string): Buffer =>
  isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host, 'latin1'));

const authorityExtension = sequence(objectId('2.5.29.19'), yes(), octets(sequence(yes())));
const hostsExtension = (hosts: readonly string[]): Buffer =>
  sequence(objectId('2.5.29.17'), octets(sequence(...hosts.map(alternativeName))));

function signed(draft: Draft, issuer: { readonly name: string; readonly key: KeyObject }): string {
  const [from, to] = draft.days;
  const inDays = (days: number): Buffer => utcTime(new Date(Date.now() + days * dayMs));
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const content = sequence(
    ...[der(0xa0, integer(Buffer.from([2]))), integer(serial), ecdsaWithSha256, nameOf(issuer.name)],
    sequence(inDays(from), inDays(to)),
    ...[nameOf(draft.subject), draft.publicKey.export({ type: 'spki', format: 'der' })],
    der(0xa3, sequence(...draft.extensions)),
  );
  const signature = sign('sha256', content, issuer.key);
  return pem('CERTIFICATE', sequence(content, ecdsaWithSha256, bits(signature)));
}

const keyPair = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Makes an authority; two of the same name do not trust each other. */
export function createTestAuthority(name = 'loyaltyd tests'): TestAuthority {
  const own = keyPair();
  const issuer = { name, key: own.privateKey };
  const root: Draft = { subject: name, publicKey: own.publicKey, days: [-2, 2], extensions: [authorityExtension] };
  return {
    certificate: signed(root, issuer),
    issue: ({ hosts, commonName = hosts[0] ?? name, isExpired = false }) => {
      const { publicKey, privateKey } = keyPair();
      const days = isExpired ? ([-2, -1] as const) : ([-1, 1] as const);
      const cert = signed({ subject: commonName, publicKey, days, extensions: [hostsExtension(hosts)] }, issuer);
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

/** Self-signed for localhost and 127.0.0.1, valid from 2020 to 2120. For specs only; it protects nothing. */
export const loopbackCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBSDCB7qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1suo1I8inwgo2R45
E/DFO84Z+poZwAgNCBIR3J9RuIf/Y70+nPlAFl6LLzx5JvgYBEri9QujNms3UvRj
NB0Zu6MvMC0wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAIY3zQt15Jlr9ExBGEQVa5I7J5m8lEgR
SiKd4XEE6B2iAiEAvy/mr5oznClQuy0nvVuSBk3mP0fpm6AJS4PDsCycatI=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6JqDuGC6OZ2xMC0C
L4xawSR5RfSLayUrZsxvUrV53ouhRANCAATWy6jUjyKfCCjZHjkT8MU7zhn6mhnA
CA0IEhHcn1G4h/9jvT6c+UAWXosvPHkm+BgESuL1C6M2azdS9GM0HRm7
-----END PRIVATE KEY-----
`,
};
