import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { SystemClock } from '#platform';

import { Examination } from '../examination.js';
import { checkOidc } from './check-oidc.js';

describe('the check of the OIDC issuer', () => {
  let server: Server;
  let issuer: string;
  /** What is answered at each path; a number is a status. */
  let answers: Readonly<Record<string, unknown>> = {};

  beforeAll(async () => {
    server = createServer((request, response) => {
      const answer = answers[request.url ?? ''] ?? 404;
      response.statusCode = typeof answer === 'number' ? answer : 200;
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const examine = async (at = issuer) => {
    const examination = new Examination(new SystemClock());
    checkOidc(examination, { issuer: at, audience: 'loyaltyd', roleClaim: 'roles' });
    const [finding] = await examination.report();
    return finding;
  };
  const discovery = '/.well-known/openid-configuration';

  it('is well where it answers by its own name, with keys', async () => {
    answers = { [discovery]: { issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }, '/keys': { keys: [{ kty: 'EC' }] } };
    expect(await examine()).toMatchObject({ state: 'ok', detail: `${issuer}: 1 keys` });
  });

  it('names what is wrong with it', async () => {
    const at = { issuer, jwks_uri: `${issuer}/keys` };
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
      [{}, 'answers 404'],
      [{ [discovery]: '<html>' }, 'answers no JSON'],
      [{ [discovery]: { issuer } }, 'names no issuer or no keys'],
      [{ [discovery]: { ...at, issuer: 'https://other' } }, 'calls itself by another name'],
      [{ [discovery]: at, '/keys': { keys: [] } }, 'has no keys'],
      [{ [discovery]: at, '/keys': 'x'.repeat(2_000_000) }, 'answers too much'],
    ];
    for (const [given, text] of cases) {
      answers = given;
      expect(await examine()).toMatchObject({ state: 'failed', detail: expect.stringContaining(text) as string });
    }
    expect(await examine('http://127.0.0.1:1')).toMatchObject({
      detail: expect.stringContaining('cannot be reached') as string,
    });
  });
});
