import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

import { bits, der, integer, objectId, octets, sequence, setOf, text, utcTime, yes } from './der.js';

/** A certificate and its key, both in PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
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
