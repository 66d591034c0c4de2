import { tokenLifetimeFallbackMs } from '#platform';
import { VirtualClock } from '#test-support';
import { closeStubs, grantTokens, PartnerStub, startStub } from '../../test/partner-stub.js';
import { answer, answerJson, inTurn, type Reply, reset, silence } from '../../test/scripted-server.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };
const pass = answerJson(200, { serialNumber: 's', templateId: 1 });
const issue = {
  operation: 'issue',
  brandId: '101',
  programId: '2001',
  uniqueId: 'm_1',
  uniqueIdKey: 'memberId',
  content: {},
} as const;

describe('checkToken', () => {
  it('asks for a token, tells its life and never the token; calls use it from then on', async () => {
    const stub = await startStub(pass);
    const { partner } = stub.gateway;
    const report = await partner.checkToken(options);
    expect(report).toMatchObject({ kind: 'granted', lifetimeMs: 3_600_000, shapeAlarms: [] });
    expect(JSON.stringify(report)).not.toContain('token-1');
    await partner.send(issue, options);
    await partner.checkToken(options);
    await partner.send(issue, options);
    expect(stub.tokenRequests).toHaveLength(2);
    expect(stub.calls.map(({ headers }) => headers['authorization'])).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('joins a request that is under way', async () => {
    const stub = await startStub(pass);
    const reports = await Promise.all([
      stub.gateway.partner.checkToken(options),
      stub.gateway.partner.checkToken(options),
      stub.gateway.partner.send(issue, options),
    ]);
    expect(reports.slice(0, 2)).toMatchObject([{ kind: 'granted' }, { kind: 'granted' }]);
    expect(stub.tokenRequests).toHaveLength(1);
  });

  it('does without what it can, and says so', async () => {
    const stub = await startStub(pass);
    stub.token = answerJson(200, { access_token: 't', token_type: 'mac' });
    expect(await stub.gateway.partner.checkToken(options)).toMatchObject({
      kind: 'granted',
      lifetimeMs: tokenLifetimeFallbackMs,
      shapeAlarms: ['expires_in', 'token_type'],
    });
    const relaxed = await startStub(pass);
    relaxed.token = answerJson(200, { access_token: 't', expires_in: '60', token_type: 'bearer' });
    expect(await relaxed.gateway.partner.checkToken(options)).toMatchObject({ lifetimeMs: 60_000, shapeAlarms: [] });
  });

  it.each([
    ['a refusal', answerJson(401, { error: 'invalid_client' }), 'http-401'],
    ['a wrong address', answer(404, ''), 'http-404'],
    ['nonsense', answer(200, 'token'), 'answer-unreadable'],
    ['a token that is no header', answerJson(200, { access_token: 'line\nbreak' }), 'answer-unreadable'],
    ['a reset', reset, 'reset'],
  ] satisfies [string, Reply, string][])('%s', async (_case, reply, code) => {
    const stub = await startStub(pass);
    stub.token = reply;
    const report = await stub.gateway.partner.checkToken(options);
    expect(report).toMatchObject({ kind: 'failed', stage: 'token', code });
    expect(JSON.stringify(report)).not.toContain('s3cret');
  });

  it('leaves an endpoint in peace that has just failed, and tells that failure again', async () => {
    const clock = new VirtualClock();
    const stub = await startStub(pass, {}, clock);
    stub.token = inTurn(answerJson(503, {}, { 'retry-after': '30' }), grantTokens());
    await stub.gateway.partner.checkToken(options);
    await clock.advance(9_000);
    const again = await stub.gateway.partner.checkToken(options);
    expect(again).toMatchObject({ kind: 'failed', code: 'http-503', retryAfterMs: 21_000 });
    expect(stub.tokenRequests).toHaveLength(1);
  });

  it('waits no longer than it may, nor after an abort', async () => {
    const stub = await startStub(pass);
    stub.token = silence;
    const { partner } = stub.gateway;
    expect(await partner.checkToken({ timeoutMs: 40 })).toMatchObject({ kind: 'failed', code: 'timeout' });
    const aborted = await partner.checkToken({ ...options, signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ kind: 'failed', code: 'aborted' });
  });

  it('credentials that cannot be read', async () => {
    const stub = await PartnerStub.start();
    stub.credentials = () => {
      throw new Error('s3cret');
    };
    const report = await stub.gateway.partner.checkToken(options);
    expect(report).toMatchObject({ kind: 'failed', code: 'credentials-unreadable' });
    await stub.close();
  });
});
