import { closeStubs, PartnerStub, startStub } from '../../test/partner-stub.js';
import { answerJson, ScriptedServer } from '../../test/scripted-server.js';
import { DialectRegistry } from '../dialect/dialect-registry.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };

/** A token endpoint that is not at the documented place, and takes whatever it is asked. */
async function asked(
  token: Readonly<Record<string, unknown>>,
  answer: unknown,
): Promise<{ readonly report: unknown; readonly request: ScriptedServer['seen'][number] | undefined }> {
  const server = await ScriptedServer.start(answerJson(200, answer));
  const stub = await PartnerStub.start({
    authUrl: `${server.origin}/auth`,
    dialects: new DialectRegistry({ file: { token }, programs: [] }),
    readCredentials: () => ({ clientId: 'id:1', clientSecret: 'p&ß' }),
    tokenHeaders: () => ({ 'x-api-key': 'key-1', 'content-type': 'text/plain' }),
  });
  try {
    return { report: await stub.gateway.partner.checkToken(options), request: server.seen[0] };
  } finally {
    await stub.close();
    await server.close();
  }
}

describe('a token endpoint of another dialect', () => {
  it('is asked in JSON, by its own names, with further fields, where the dialect says', async () => {
    const { report, request } = await asked(
      {
        path: '/v2/token?tenant=7',
        body: 'json',
        names: { grantType: 'grantType', clientId: 'clientId', clientSecret: 'clientSecret', scope: 'scopes' },
        fields: { audience: 'https://wallet.example' },
        answer: {
          accessToken: 'data.token',
          expiresIn: 'data.ttl',
          expiresInUnit: 'milliseconds',
          tokenType: 'data.type',
        },
      },
      { data: { token: 't-1', ttl: 90_000, type: 'Bearer' } },
    );
    expect(request).toMatchObject({ method: 'POST', path: '/auth/v2/token?tenant=7' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-api-key': 'key-1' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      grantType: 'client_credentials',
      clientId: 'id:1',
      clientSecret: 'p&ß',
      scopes: 'https://scope.example/admin',
      audience: 'https://wallet.example',
    });
    expect(report).toMatchObject({ kind: 'granted', lifetimeMs: 90_000, shapeAlarms: [] });
  });

  it('is told the client by HTTP Basic, each part form-encoded', async () => {
    const { request } = await asked(
      { credentials: 'basic' },
      { access_token: 't', expires_in: 60, token_type: 'bearer' },
    );
    const login = Buffer.from('id%3A1:p%26%C3%9F').toString('base64');
    expect(request?.headers['authorization']).toBe(`Basic ${login}`);
    expect(request?.body).toBe('grant_type=client_credentials&scope=https%3A%2F%2Fscope.example%2Fadmin');
  });

  it('is asked as documented where the dialect says nothing, whatever header was added', async () => {
    const { request } = await asked({}, { access_token: 't', expires_in: 60, token_type: 'Bearer' });
    expect(request?.path).toBe('/auth/oauth2/token');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'x-api-key': 'key-1',
    });
    expect(new URLSearchParams(request?.body).get('client_secret')).toBe('p&ß');
  });

  it('gives no token by an answer that has it elsewhere', async () => {
    const { report } = await asked({ answer: { accessToken: 'token' } }, { access_token: 't', expires_in: 60 });
    expect(report).toMatchObject({ kind: 'failed', code: 'answer-unreadable' });
  });
});

describe('the token section of a dialect', () => {
  const open = (file: Readonly<Record<string, unknown>>): DialectRegistry =>
    new DialectRegistry({ file, programs: [] });

  it('is refused where a further field would overwrite one that is sent anyway, and where two share a name', () => {
    expect(() => open({ token: { fields: { client_id: 'x' } } })).toThrow('token.fields: a further field has the name');
    expect(() => open({ token: { names: { clientId: 'scope' } } })).toThrow('two properties share a name');
  });

  it('is refused in a program, whose calls share the token of all', () => {
    const program = { program: 'main', brandId: '1', programId: '2', overrides: { token: { body: 'json' } } };
    expect(() => new DialectRegistry({ file: null, programs: [program] })).toThrow('all programs share one token');
  });

  it('holds for the calls that follow', async () => {
    const stub = await startStub(answerJson(200, {}), { token: { answer: { accessToken: 'jwt' } } });
    stub.token = answerJson(200, { jwt: 'other-1', expires_in: 60, token_type: 'Bearer' });
    const card = { brandId: '1', programId: '2', uniqueId: 'm_1', uniqueIdKey: 'memberId' };
    await stub.gateway.partner.findPass(card, options);
    expect(stub.calls[0]?.headers['authorization']).toBe('Bearer other-1');
  });
});
