import { inspect } from 'node:util';

import { HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import { SystemClock } from '#platform';

import { grantTokens } from '../../test/partner-stub.js';
import { answerJson, hangUp, ScriptedServer } from '../../test/scripted-server.js';
import { DialectRegistry, GatewayModule, Partner } from '../index.js';

const issue = {
  operation: 'issue',
  brandId: '101',
  programId: '2001',
  uniqueId: 'm_1',
  uniqueIdKey: 'memberId',
  content: {},
} as const;

describe('headers that the configuration adds', () => {
  let server: ScriptedServer;
  let key = 'subscription-1';

  beforeEach(async () => {
    key = 'subscription-1';
    server = await ScriptedServer.start();
    server.reply = (socket, request) => {
      const reply = request.path.startsWith('/auth')
        ? grantTokens()
        : answerJson(200, { serialNumber: 's', templateId: 1 });
      reply(socket, request);
    };
  });

  afterEach(() => server.close());

  const open = async (): Promise<{
    readonly partner: Partner;
    readonly seen: unknown[];
    close: () => Promise<void>;
  }> => {
    const options = {
      baseUrl: `${server.origin}/brands`,
      authUrl: `${server.origin}/auth`,
      scope: null,
      readCredentials: () => ({ clientId: 'id', clientSecret: 's3cret' }),
      dialects: new DialectRegistry(),
      clock: new SystemClock(),
      callHeaders: () => ({ 'ocp-apim-subscription-key': key, authorization: 'Basic x', accept: 'text/html' }),
    };
    const module = await Test.createTestingModule({ imports: [GatewayModule.forRoot(options)] }).compile();
    const seen: unknown[] = [];
    const { request, response } = module.get(HttpService).axiosRef.interceptors;
    request.use((config) => {
      seen.push(config);
      return config;
    });
    response.use(
      (answer) => {
        seen.push(answer);
        return answer;
      },
      (error: Error) => {
        seen.push(error);
        return Promise.reject(error);
      },
    );
    return { partner: module.get(Partner), seen, close: () => module.close() };
  };

  it('go with each call as they are then, never in place of ours, and not to the token endpoint', async () => {
    const { partner, close } = await open();
    await partner.send(issue, { timeoutMs: 5_000 });
    key = 'subscription-2';
    await partner.send(issue, { timeoutMs: 5_000 });
    await close();
    const [token, first, second] = server.seen.map(({ headers }) => headers);
    expect(token).not.toHaveProperty('ocp-apim-subscription-key');
    expect(first).toMatchObject({
      'ocp-apim-subscription-key': 'subscription-1',
      authorization: 'Bearer token-1',
      accept: 'application/json',
    });
    expect(second).toHaveProperty('ocp-apim-subscription-key', 'subscription-2');
  });

  it('are seen by no interceptor, error or report', async () => {
    const { partner, seen, close } = await open();
    const applied = await partner.send(issue, { timeoutMs: 5_000 });
    const reply = server.reply;
    server.reply = (socket, request) => (request.path.startsWith('/auth') ? reply : hangUp)(socket, request);
    const lost = await partner.send(issue, { timeoutMs: 5_000 });
    await close();
    expect([applied.outcome.kind, lost.outcome.kind]).toEqual(['applied', 'unknown']);
    expect(seen.length).toBeGreaterThan(2);
    expect(inspect([seen, applied, lost], { depth: 12, showHidden: true })).not.toContain('subscription-1');
  });
});
