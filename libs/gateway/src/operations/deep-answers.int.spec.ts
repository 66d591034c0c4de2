import { jsonDepthMax } from '#contracts';
import { attemptDialect, passCases, plainIds } from '../../test/attempt-cases.js';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer } from '../../test/scripted-server.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };
const { uniqueId } = plainIds;
const json = { 'content-type': 'application/json', 'x-request-id': 'theirs-7' };

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** What each documented field of an answer is compared, copied or shown by: anything may stand in it. */
const places: readonly (readonly [string, (deep: string) => string])[] = [
  ['by itself', (deep) => deep],
  ['as a field that nobody documents', (deep) => `{"transactionId":5,"passId":7,"message":"created","x":${deep}}`],
  ['as an id', (deep) => `{"passId":${deep},"transactionId":${deep},"serialNumber":"s-7"}`],
  ['as a tier', (deep) => `{"passId":7,"templateTierId":${deep},"templateId":${deep}}`],
  ['as metaData', (deep) => `{"passId":7,"passdata":{"optOut":${deep},"metaData":{"memberId":${deep}}}}`],
  ['as an amount', (deep) => `{"transactionId":5,"amount":${deep},"transactionTypeId":${deep}}`],
  ['as attributes', (deep) => `{"transactionId":5,"attributes":{"receipt":${deep}}}`],
  ['as a message', (deep) => `{"message":${deep}}`],
  ['with a number of many digits in it', (deep) => `{"passId":9007199254740993,"x":${deep}}`],
];

describe.each(passCases)('an answer to $section that nests deeper than any', ({ call }) => {
  it.each(places)('is a doubt with its evidence, whatever the depth: %s', async (_what, body) => {
    const stub = await startStub(answer(200, '{}'), attemptDialect);
    for (const depth of [jsonDepthMax + 1, 5_000, 100_000]) {
      const text = body(nested(depth));
      stub.call = answer(200, text, json);
      const { outcome, value, response } = await call(stub.gateway.partner, plainIds, options);
      expect(outcome).toMatchObject({ kind: 'unknown', code: 'http-200-not-json' });
      expect(value).toBeNull();
      expect(response).toMatchObject({ status: 200, headers: { 'x-request-id': 'theirs-7' } });
      expect(text.startsWith(response?.body ?? 'none')).toBe(true);
      expect(response?.body.length).toBeGreaterThan(0);
    }
  });

  it('is no refusal by its words, even where a whole body may be words', async () => {
    const stub = await startStub(answer(200, '{}'), { ...attemptDialect, error: { message: '$' } });
    stub.call = answer(400, nested(5_000), json);
    const { outcome, response } = await call(stub.gateway.partner, plainIds, options);
    expect(outcome.kind).not.toBe('rejected');
    expect(response).toMatchObject({ status: 400 });
  });
});

it('a lookup, a page of the listing and a count that nest too deep have failed, and say so', async () => {
  const program = { brandId: plainIds.brandId, programId: plainIds.programId };
  const stub = await startStub(answer(200, '{}'), attemptDialect);
  for (const depth of [jsonDepthMax + 1, 5_000, 100_000]) {
    for (const text of [nested(depth), `{"data":[${nested(depth)}],"totalCount":0,"passId":${nested(depth)}}`]) {
      stub.call = answer(200, text, json);
      const found = await stub.gateway.partner.findPass({ ...program, uniqueId, uniqueIdKey: 'memberId' }, options);
      expect(found).toMatchObject({
        kind: 'failed',
        code: 'http-200-not-json',
        evidence: { response: { status: 200 } },
      });
      const counted = await stub.gateway.partner.countPasses(program, options);
      expect(counted).toMatchObject({ kind: 'failed', code: 'http-200-not-json' });
    }
  }
});

it('a token in an answer that nests too deep is none', async () => {
  const stub = await startStub(answer(200, '{}'), attemptDialect);
  stub.token = answer(200, `{"access_token":"t","expires_in":60,"token_type":"bearer","x":${nested(5_000)}}`, json);
  const report = await stub.gateway.partner.countPasses({ brandId: '101', programId: '2001' }, options);
  expect(report).toMatchObject({ kind: 'failed', stage: 'token', code: 'no-token' });
});
