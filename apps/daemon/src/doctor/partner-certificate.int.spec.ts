import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DoctorCheck } from '#contracts';
import { createTestAuthority, type IssuedCertificate } from '#test-support';

import { judgeAddress, judgeOwnCertificate } from './partner.js';
import { examineBy } from './testing/doctor-fixture.js';

const authority = createTestAuthority('the partner');
const dayMs = 86_400_000;

describe('a partner that asks for a certificate', () => {
  let server: Server;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-doctor-mtls-'));
    const { cert, key } = authority.issue({ hosts: ['localhost'] });
    const options = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
    server = createServer(options, (request, response) => {
      const isKnown = request.headers['x-tenant'] === '7';
      const token = { access_token: 't', expires_in: 3600, token_type: 'Bearer' };
      request.resume().on('end', () => response.writeHead(isKnown ? 200 : 403).end(JSON.stringify(token)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const shown = ({ cert, key }: IssuedCertificate): Record<string, string> => ({
    WALLET_CERT_FILE: file('own.pem', cert),
    WALLET_KEY_FILE: file('own-key.pem', key),
  });
  const examine = async (env: Record<string, string>): Promise<(name: string) => DoctorCheck> => {
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
    const { check } = await examineBy({
      LOYALTYD_ROLES: 'delivery',
      KAFKA_TOPIC_OUTCOMES: 'none',
      KAFKA_TOPIC_AUDIT: 'none',
      LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere',
      WALLET_BASE_URL: `${origin}/brands`,
      WALLET_AUTH_URL: origin,
      WALLET_CLIENT_ID: 'id',
      WALLET_CLIENT_SECRET: 'secret',
      WALLET_SCOPE: 'scope',
      WALLET_CA_FILE: file('ca.pem', authority.certificate),
      WALLET_TOKEN_HEADERS: 'x-tenant=7',
      ...env,
    });
    return check;
  };

  it('is reached with ours, and a token is had there, with the headers of token requests', async () => {
    const check = await examine(shown(authority.issue({ hosts: ['loyaltyd.example.org'] })));
    expect(check('partner.address.WALLET_BASE_URL').detail).toMatch(/^localhost:\d+, its certificate is good/);
    expect(check('partner.token').state).toBe('ok');
    // It ends tomorrow.
    expect(check('partner.certificate')).toMatchObject({
      state: 'warning',
      remedy: expect.stringContaining('WALLET_CERT_FILE') as string,
    });
  });

  it('is told of where none is shown', async () => {
    const check = await examine({ WALLET_TLS_MAX: '1.2' });
    expect(check('partner.address.WALLET_BASE_URL')).toMatchObject({
      state: 'failed',
      remedy: expect.stringContaining('WALLET_CERT_FILE') as string,
    });
  });
});

describe('what a refused handshake says', () => {
  const place = { variable: 'WALLET_BASE_URL', url: new URL('https://partner.example/brands') } as const;
  it.each([
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'does not take our certificate'],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'does not take our certificate'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'may want a certificate of ours'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'WALLET_TLS_MAX=1.3'],
  ])('%s', (code, remedy) => {
    const finding = judgeAddress(place, { kind: 'closed', stage: 'tls', code }, 0);
    expect(finding.remedy).toContain(remedy);
  });

  it('comes before our certificate ends: it is told for two weeks, and when it has ended', () => {
    const { cert } = authority.issue({ hosts: ['loyaltyd.example.org'] });
    const endsAt = Date.now() + dayMs;
    const states = [endsAt - 60 * dayMs, endsAt - 10 * dayMs, endsAt + dayMs].map(
      (now) => judgeOwnCertificate(cert, now).state,
    );
    expect(states).toEqual(['ok', 'warning', 'failed']);
  });
});
