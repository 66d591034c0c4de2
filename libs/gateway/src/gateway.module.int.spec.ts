import { HttpService } from '@nestjs/axios';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SystemClock } from '#platform';
import { answerJson, ScriptedServer } from '../test/scripted-server.js';
import { DialectRegistry, type ExchangeFacts, GatewayModule, type GatewayOptions, Partner } from './index.js';

const CONFIG = Symbol('Config');

@Module({})
class ConfigModule {}

/** What an application adds that wants to see its calls. */
@Injectable()
class CallLog implements OnModuleInit {
  readonly seen: string[] = [];
  readonly answered = Promise.withResolvers<ExchangeFacts | undefined>();

  constructor(private readonly http: HttpService) {}

  onModuleInit(): void {
    const { request, response } = this.http.axiosRef.interceptors;
    request.use((config) => {
      this.seen.push(`${config.method ?? ''} ${config.url ?? ''} ${String(config.headers)} ${String(config.data)}`);
      config.headers.set('x-request-of', 'the shop');
      return config;
    });
    response.use((answer) => {
      this.answered.resolve(answer.exchange);
      return answer;
    });
  }
}

/** What an application has that calls the partner. */
@Injectable()
class Enrolment {
  constructor(private readonly partner: Partner) {}

  async enrol(): Promise<string> {
    const { outcome } = await this.partner.send(issue, { timeoutMs: 5_000 });
    return outcome.kind;
  }
}

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
    const partner = module.get(Partner, { strict: false });
    expect((await partner.send(issue, { timeoutMs: 5_000 })).outcome.kind).toBe('applied');
    await module.close();
    const late = await partner.send(issue, { timeoutMs: 5_000 });
    expect(late.outcome).toMatchObject({ kind: 'not-applied', code: 'connection-failed' });
  });

  it('takes its options from other providers', async () => {
    const gateway = GatewayModule.forRootAsync({
      imports: [{ module: ConfigModule, providers: [{ provide: CONFIG, useValue: options }], exports: [CONFIG] }],
      inject: [CONFIG],
      useFactory: async (config: GatewayOptions) => config,
    });
    const module = await Test.createTestingModule({ imports: [gateway] }).compile();
    const partner = module.get(Partner, { strict: false });
    expect((await partner.send(issue, { timeoutMs: 5_000 })).outcome.kind).toBe('applied');
    await module.close();
  });

  const shop = (): ReturnType<typeof Test.createTestingModule> => {
    const gateway = GatewayModule.forRootAsync({ useFactory: () => options });
    return Test.createTestingModule({ imports: [gateway], providers: [CallLog, Enrolment] });
  };

  it('lets an interceptor of the application see each call, but neither the token nor the request for one', async () => {
    const module = await shop().compile();
    await module.init();
    expect(await module.get(Enrolment).enrol()).toBe('applied');
    const { seen, answered } = module.get(CallLog);
    expect(await answered.promise).toMatchObject({ phase: 'answered', error: null, status: 200 });
    expect(seen).toEqual([
      `post ${server.origin}/brands/101/programs/2001/issue-wallet  ${server.seen[1]?.body ?? ''}`,
    ]);
    expect(server.seen.map(({ path }) => path)).toEqual(['/oauth2/token', '/brands/101/programs/2001/issue-wallet']);
    expect(server.seen[1]?.headers).toMatchObject({ 'x-request-of': 'the shop', authorization: 'Bearer t' });
    await module.close();
  });

  it('lets a test put another partner in its place', async () => {
    const partner = { send: () => Promise.resolve({ outcome: { kind: 'unknown' } }) };
    const module = await shop().overrideProvider(Partner).useValue(partner).compile();
    expect(await module.get(Enrolment).enrol()).toBe('unknown');
    expect(server.seen).toEqual([]);
    await module.close();
  });

  it('refuses an address that is no URL', async () => {
    const wrong = { ...options, baseUrl: 'brands' };
    await expect(Test.createTestingModule({ imports: [GatewayModule.forRoot(wrong)] }).compile()).rejects.toThrow(
      /Invalid URL/,
    );
  });
});
