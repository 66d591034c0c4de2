import type { IssueCommand, RewardCommand, TransactionCommand, WorkflowCommand } from '#intents/core';
import { type Clock, SystemClock } from '#platform';
import { VirtualClock } from '#test-support';
import { grantTokens, PartnerStub } from '../../test/partner-stub.js';
import { answer, answerJson, cutBody, inTurn, type Reply, reset, silence } from '../../test/scripted-server.js';
import { DialectRegistry } from '../dialect/dialect-registry.js';
import { evidenceBodyBytesMax } from '../limits.js';

const reference = { brandId: '101', programId: '2001', uniqueId: 'm_81273', uniqueIdKey: 'memberId' };
const issue: IssueCommand = { ...reference, operation: 'issue', content: { person: { email: 'ada@example.org' } } };
const workflow: WorkflowCommand = { ...issue, operation: 'update-via-workflow', workflowId: '78' };
const reward: RewardCommand = { ...reference, operation: 'reward', rewardId: '9001' };
const transaction: TransactionCommand = {
  ...reference,
  operation: 'transaction',
  transactionTypeId: '31',
  amount: '-59.99',
  transactionDate: '2026-11-21T09:15:04.000Z',
  attributes: { receipt: 'B07-118834' },
  uniqueAttribute: { name: 'receipt', value: 'B07-118834', enforced: true },
};
const pass = { passId: 7, serialNumber: 's-7', templateId: 11, passdata: { metaData: { memberId: 'm_81273' } } };
const options = { timeoutMs: 5_000 };

const stubs: PartnerStub[] = [];
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.close();
});

async function start(
  call: Reply,
  dialect: Record<string, unknown> = {},
  clock: Clock = new SystemClock(),
): Promise<PartnerStub> {
  const stub = await PartnerStub.start({ dialects: new DialectRegistry({ file: dialect, programs: [] }), clock });
  stub.call = call;
  stubs.push(stub);
  return stub;
}

describe('the five calls', () => {
  it.each([
    ['issue', 'POST /brands/101/programs/2001/issue-wallet'],
    ['workflow', 'POST /brands/101/programs/2001/workflows/78/wallet-passes'],
    ['transaction', 'POST /brands/101/programs/2001/transaction-types/31/transactions?unique_id=m_81273'],
    ['reward', 'POST /brands/101/programs/2001/rewards/9001/wallet-pass?unique_id=m_81273'],
  ] as const)('%s goes to its documented place and is applied', async (call, place) => {
    const answered = call === 'transaction' ? { transactionId: 7 } : pass;
    const stub = await start(answerJson(200, answered));
    const { partner } = stub.gateway;
    const report = await {
      issue: () => partner.send(issue, options),
      workflow: () => partner.send(workflow, options),
      transaction: () => partner.send(transaction, options),
      reward: () => partner.send(reward, options),
    }[call]();
    expect(report).toMatchObject({ outcome: { kind: 'applied' }, phase: 'answered', value: answered });
    expect(stub.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([place]);
    const { headers, body } = stub.calls[0]!;
    expect(headers).toMatchObject({ authorization: 'Bearer token-1', accept: 'application/json' });
    expect(headers['content-type']).toBe(call === 'reward' ? undefined : 'application/json');
    expect(body).toBe(report.request.body ?? '');
  });

  it('a lookup goes to its documented place', async () => {
    const stub = await start(answerJson(200, pass));
    const found = await stub.gateway.partner.findPass(reference, options);
    expect(found).toMatchObject({ kind: 'found', pass: { passId: 7 }, shapeAlarms: [] });
    expect(stub.calls[0]).toMatchObject({ method: 'GET', path: '/brands/101/programs/2001/wallets?unique_id=m_81273' });
  });

  it('asks for a token as documented', async () => {
    const stub = await start(answerJson(200, pass));
    await stub.gateway.partner.send(issue, options);
    const [request] = stub.tokenRequests;
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'id',
      client_secret: 's3cret',
      scope: 'https://scope.example/admin',
    });
  });
});

describe('evidence', () => {
  it('holds request and answer, and no credential', async () => {
    const stub = await start(
      answerJson(400, { message: 'store is required' }, { 'x-request-id': 'r1', 'x-frame-options': 'DENY' }),
    );
    const report = await stub.gateway.partner.send(transaction, options);
    expect(report.response?.headers).not.toHaveProperty('x-frame-options');
    expect(report.request).toEqual({
      method: 'POST',
      path: '/101/programs/2001/transaction-types/31/transactions?unique_id=m_81273',
      body: stub.calls[0]?.body,
    });
    expect(report.response).toMatchObject({
      status: 400,
      headers: { 'x-request-id': 'r1' },
      body: '{"message":"store is required"}',
      truncated: false,
    });
    expect(JSON.stringify(report)).not.toMatch(/token-1|s3cret|authorization/i);
  });

  it('cuts a long answer, not what is read from it', async () => {
    const stub = await start(answerJson(200, { ...pass, note: 'x'.repeat(evidenceBodyBytesMax) }));
    const report = await stub.gateway.partner.send(issue, options);
    expect(report.response).toMatchObject({ truncated: true });
    expect(report.response?.body).toHaveLength(evidenceBodyBytesMax);
    expect(report.value).toMatchObject({ passId: 7 });
  });

  it('keeps what was read of an answer that broke off', async () => {
    const stub = await start(cutBody);
    const report = await stub.gateway.partner.send(issue, options);
    expect(report).toMatchObject({
      outcome: { kind: 'unknown', code: 'truncated' },
      phase: 'sent',
      response: { status: 200, body: '{"a":', truncated: true },
      value: null,
    });
  });
});

describe('outcomes', () => {
  const rejected = (code: string): unknown => ({ kind: 'rejected', code });
  const notApplied = (code: string, systemic: boolean): unknown => ({ kind: 'not-applied', code, systemic });

  it.each([
    ['a refusal', answerJson(400, { message: 'store is required' }), rejected('refused')],
    ['a duplicate of the sent value', answerJson(409, { message: 'B07-118834 already exists' }), rejected('duplicate')],
    ['the attribute alone, no value', answerJson(400, { message: 'receipt must be unique' }), rejected('refused')],
    ['a duplicate of something else', answerJson(400, { message: 'campaign must be unique' }), rejected('refused')],
    ['no pass', answerJson(400, { message: 'No pass found for unique_id' }), rejected('no-such-pass')],
    ['no pass as 404', answerJson(404, { message: 'Wallet pass not found' }), rejected('no-such-pass')],
    ['a wrong path', answerJson(404, { message: 'Not Found' }), notApplied('http-404', true)],
    ['a wall before the partner', answer(403, '<html>'), notApplied('http-403', true)],
    ['too many', answerJson(429, {}, { 'retry-after': '3' }), notApplied('too-many-requests', false)],
    ['an error', answerJson(503, { message: 'later' }), { kind: 'unknown', code: 'http-503' }],
    ['an empty success', answer(200, ''), { kind: 'unknown', code: 'http-200-empty' }],
    ['a page as success', answer(200, '<html>'), { kind: 'unknown', code: 'http-200-not-json' }],
    ['a redirect', answer(302, '', { location: '/login' }), { kind: 'unknown', code: 'http-302' }],
    ['a reset', reset, { kind: 'unknown', code: 'reset' }],
  ])('%s', async (_case, call, outcome) => {
    const stub = await start(call);
    const report = await stub.gateway.partner.send(transaction, options);
    expect(report.outcome).toMatchObject(outcome as object);
    expect(stub.calls).toHaveLength(1);
  });

  it('Retry-After is passed on in milliseconds', async () => {
    const stub = await start(answerJson(429, {}, { 'retry-after': '3' }));
    const { outcome } = await stub.gateway.partner.send(transaction, options);
    expect(outcome).toMatchObject({ retryAfterMs: 3_000 });
  });

  it('an issue never means "no such pass", and knows its own duplicates', async () => {
    const stub = await start(
      inTurn(answerJson(400, { message: 'Person not found' }), answerJson(400, { message: 'Pass exists already' })),
    );
    expect((await stub.gateway.partner.send(issue, options)).outcome).toMatchObject({ code: 'refused' });
    expect((await stub.gateway.partner.send(issue, options)).outcome).toMatchObject({ code: 'duplicate' });
  });

  it('the dialect decides on 429, on the proof of a success and on accepted statuses', async () => {
    const dialect = { tooManyRequests: 'unknown', success: { statuses: [200], proof: { issue: 'any' } } };
    const stub = await start(inTurn(answerJson(429, {}), answer(200, ''), answerJson(202, pass)), dialect);
    const kinds: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) kinds.push((await stub.gateway.partner.send(issue, options)).outcome.kind);
    expect(kinds).toEqual(['unknown', 'applied', 'unknown']);
  });

  it('a 5xx is sent again without evidence only where the dialect names it', async () => {
    const dialect = { notApplied: { statuses: [503] } };
    const stub = await start(inTurn(answerJson(503, {}), answerJson(500, {}), answerJson(502, {})), dialect);
    const kinds: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      kinds.push((await stub.gateway.partner.send(transaction, options)).outcome.kind);
    }
    expect(kinds).toEqual(['not-applied', 'unknown', 'unknown']);
  });

  it('an odd shape raises an alarm and stays applied', async () => {
    const stub = await start(answerJson(200, { serialNumber: 5, templateId: 11, extra: true }));
    const report = await stub.gateway.partner.send(issue, options);
    expect(report).toMatchObject({ outcome: { kind: 'applied' }, shapeAlarms: ['serialNumber'] });
    expect(report.value).toEqual({ templateId: 11, extra: true });
  });

  it('ids beyond 2^53 come through exactly', async () => {
    const stub = await start(answer(200, '{"passId":9007199254740993,"serialNumber":"s","templateId":11}'));
    const report = await stub.gateway.partner.send(issue, options);
    expect(report).toMatchObject({ value: { passId: '9007199254740993' }, shapeAlarms: [] });
  });

  it('an amount that cannot be written is never sent, and parks instead of being tried for ever', async () => {
    const stub = await start(answerJson(200, {}), { transaction: { negativeAmounts: false } });
    const report = await stub.gateway.partner.send(transaction, options);
    expect(report).toMatchObject({
      outcome: { kind: 'rejected', code: 'invalid-request' },
      stage: 'request',
      phase: 'not-sent',
      shapeAlarms: ['request.amount'],
    });
    expect(stub.calls).toEqual([]);
  });
});

describe('the token', () => {
  const unauthorized = answer(401, '');

  it('a 401 fetches one new token for all and repeats each call once', async () => {
    const stub = await start((socket, request) => {
      const isStale = request.headers['authorization'] === 'Bearer token-1';
      (isStale ? unauthorized : answerJson(200, pass))(socket, request);
    });
    const reports = await Promise.all(Array.from({ length: 10 }, () => stub.gateway.partner.send(issue, options)));
    expect(reports.map(({ outcome }) => outcome.kind)).toEqual(Array.from({ length: 10 }, () => 'applied'));
    expect(stub.tokenRequests).toHaveLength(2);
    expect(stub.calls).toHaveLength(20);
  });

  it('a second 401 is not applied, answered and systemic', async () => {
    const stub = await start(unauthorized);
    const report = await stub.gateway.partner.send(issue, options);
    const outcome = { kind: 'not-applied', code: 'unauthorized', answered: true, systemic: true, retryAfterMs: null };
    expect(report.outcome).toEqual(outcome);
    expect(stub.calls).toHaveLength(2);
    expect(stub.tokenRequests).toHaveLength(2);
  });

  it('one deadline covers the call and its repeat', async () => {
    const clock = new VirtualClock();
    const lateRefusal: Reply = (socket, request) =>
      void clock.advance(2_000).then(() => {
        unauthorized(socket, request);
      });
    const stub = await start(
      inTurn(lateRefusal, () => void clock.advance(1_000)),
      {},
      clock,
    );
    const report = await stub.gateway.partner.send(issue, { timeoutMs: 3_000 });
    expect(report).toMatchObject({ outcome: { kind: 'unknown', code: 'timeout' }, durationMs: 3_000 });
    expect(stub.calls).toHaveLength(2);
  });

  it('losing the repeated call is unknown', async () => {
    const stub = await start(inTurn(unauthorized, reset));
    const { outcome } = await stub.gateway.partner.send(issue, options);
    expect(outcome).toMatchObject({ kind: 'unknown', code: 'reset' });
    expect(stub.calls).toHaveLength(2);
  });

  it('a 401 and then no token: nothing is applied, the 401 stays as evidence', async () => {
    const stub = await start(unauthorized);
    stub.token = inTurn(grantTokens(), answerJson(503, {}));
    const report = await stub.gateway.partner.send(issue, options);
    expect(report.outcome).toMatchObject({ kind: 'not-applied', code: 'no-token', answered: false });
    expect(report.response).toMatchObject({ status: 401 });
    expect(stub.calls).toHaveLength(1);
  });

  it.each([
    ['refuses', answerJson(401, { error: 'invalid_client' })],
    ['breaks off', reset],
    ['answers nonsense', answer(200, 'token')],
    ['answers an unusable token', answerJson(200, { access_token: 'line\nbreak', expires_in: 60 })],
  ])('an endpoint that %s: no-token, nothing is sent, nobody asks again at once', async (_case, token) => {
    const stub = await start(answerJson(200, pass));
    stub.token = token;
    for (let turn = 0; turn < 3; turn += 1) {
      const report = await stub.gateway.partner.send(issue, options);
      expect(report).toMatchObject({
        outcome: { kind: 'not-applied', code: 'no-token', answered: false, systemic: false },
        phase: 'not-sent',
        response: null,
      });
    }
    expect(stub.calls).toEqual([]);
    expect(stub.tokenRequests).toHaveLength(1);
  });

  it('waits for a token no longer than the call may take, nor after an abort', async () => {
    const stub = await start(answerJson(200, pass));
    stub.token = silence;
    const late = await stub.gateway.partner.send(issue, { timeoutMs: 50 });
    expect(late.outcome).toMatchObject({ kind: 'not-applied', code: 'no-token', answered: false });
    const abort = new AbortController();
    const waiting = stub.gateway.partner.send(issue, { timeoutMs: 5_000, signal: abort.signal });
    abort.abort();
    expect((await waiting).outcome).toMatchObject({ kind: 'not-applied', code: 'aborted-before-send' });
    expect(stub.calls).toEqual([]);
  });

  it('secrets are read anew for each token, and a failing reader tells nothing', async () => {
    const told: string[] = [];
    const stub = await PartnerStub.start({
      tokenObserver: { obtained: () => undefined, failed: (why) => told.push(why) },
    });
    stubs.push(stub);
    stub.call = answerJson(200, pass);
    stub.credentials = () => {
      throw new Error('s3cret is not base64');
    };
    const report = await stub.gateway.partner.send(issue, options);
    expect(report.outcome).toMatchObject({ code: 'no-token' });
    expect(told).toEqual(['credentials-unreadable']);
    expect(JSON.stringify(report)).not.toContain('s3cret');
  });
});

describe('findPass', () => {
  it.each([
    ['another member', answerJson(200, { ...pass, passdata: { metaData: { memberId: 'm_2' } } }), 'foreign-pass'],
    ['no pass in it', answerJson(200, { message: 'nothing here' }), 'not-a-pass'],
    ['an empty list', answerJson(200, []), 'empty-list'],
    ['an unfamiliar refusal', answerJson(400, { message: 'unique_id is malformed' }), 'refused'],
    ['a wrong path', answerJson(404, { message: 'Not Found' }), 'http-404'],
    ['an error', answerJson(500, {}), 'http-500'],
    ['a reset', reset, 'reset'],
    ['two 401', answer(401, ''), 'unauthorized'],
  ])('%s: failed', async (_case, call, code) => {
    const stub = await start(call);
    const report = await stub.gateway.partner.findPass(reference, options);
    expect(report).toMatchObject({ kind: 'failed', code, retryAfterMs: null });
    expect(report.evidence.request.path).toBe('/101/programs/2001/wallets?unique_id=m_81273');
  });

  it.each([400, 404])('a refusal with %d that fits the dialect: absent', async (status) => {
    const stub = await start(answerJson(status, { message: 'Wallet pass not found' }));
    const report = await stub.gateway.partner.findPass(reference, options);
    expect(report).toMatchObject({ kind: 'absent', evidence: { response: { status } } });
  });

  it('a message that fits under another status proves nothing', async () => {
    const stub = await start(answerJson(422, { message: 'Wallet pass not found' }));
    expect(await stub.gateway.partner.findPass(reference, options)).toMatchObject({ kind: 'failed', code: 'refused' });
  });

  it('a pass without metaData is trusted or not, by the dialect', async () => {
    const bare = answerJson(200, { ...pass, passdata: {} });
    const trusting = await start(bare);
    expect(await trusting.gateway.partner.findPass(reference, options)).toMatchObject({ kind: 'found' });
    const strict = await start(bare, { lookup: { trustWithoutMetaData: false } });
    const report = await strict.gateway.partner.findPass(reference, options);
    expect(report).toMatchObject({ kind: 'failed', code: 'foreign-pass' });
  });

  it('Retry-After is passed on', async () => {
    const stub = await start(answerJson(429, {}, { 'retry-after': '2' }));
    const report = await stub.gateway.partner.findPass(reference, options);
    expect(report).toMatchObject({ kind: 'failed', code: 'too-many-requests', retryAfterMs: 2_000 });
  });
});
