import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SystemClock } from '#platform';
import { answerJson, ScriptedServer } from '../test/scripted-server.js';
import { DialectRegistry, type GatewayOptions, GatewayModule, type Partner, PARTNER } from './index.js';

const CONFIG = Symbol('Config');

@Module({})
class ConfigModule {}

const issue = {
  operation: 'issue',
  brandId: '101',
  programId: '2001',
  uniqueId: 'm_1',
  uniqueIdKey: 'memberId',
  content: {},
} as const;

describe('GatewayModule', () => {
  let server: ScriptedServer;
  let options: GatewayOptions;

  beforeEach(async () => {
    server = await ScriptedServer.start(
      answerJson(200, { access_token: 't', expires_in: 60, serialNumber: 's', templateId: 1 }),
    );
    options = {
      baseUrl: `${server.origin}/brands`,
      authUrl: server.origin,
      scope: null,
      readCredentials: () => ({ clientId: 'a', clientSecret: 'b' }),
      dialects: new DialectRegistry(),
      clock: new SystemClock(),
    };
  });
  afterEach(() => server.close());

  it('provides the partner and lets its connections go at shutdown', async () => {
    const module = await Test.createTestingModule({ imports: [GatewayModule.forRoot(options)] }).compile();
    const partner = module.get<Partner>(PARTNER, { strict: false });
    expect((await partner.issue(issue, { timeoutMs: 5_000 })).outcome.kind).toBe('applied');
    await module.close();
    const late = await partner.issue(issue, { timeoutMs: 5_000 });
    expect(late.outcome).toMatchObject({ kind: 'not-applied', code: 'connection-failed' });
  });

  it('takes its options from other providers', async () => {
    const gateway = GatewayModule.forRootAsync({
      imports: [{ module: ConfigModule, providers: [{ provide: CONFIG, useValue: options }], exports: [CONFIG] }],
      inject: [CONFIG],
      useFactory: async (config: GatewayOptions) => config,
    });
    const module = await Test.createTestingModule({ imports: [gateway] }).compile();
    const partner = module.get<Partner>(PARTNER, { strict: false });
    expect((await partner.issue(issue, { timeoutMs: 5_000 })).outcome.kind).toBe('applied');
    await module.close();
  });

  it('refuses an address that is no URL', async () => {
    const wrong = { ...options, baseUrl: 'brands' };
    await expect(Test.createTestingModule({ imports: [GatewayModule.forRoot(wrong)] }).compile()).rejects.toThrow(
      /Invalid URL/,
    );
  });
});
