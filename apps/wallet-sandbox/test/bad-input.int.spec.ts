import { connect } from 'node:net';
import { loadSigningKey, TokenSigner } from '../src/auth/token-signer.js';
import { openDatabase } from '../src/store/database.js';
import { type BadRequest, badRequests } from './bad-requests.js';
import { partnerCases, sendCase, tokenCase } from './every-endpoint.js';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox({ isResetBeforeEach: false });
const { client } = fixture;
let token = '';
let signingKey: Uint8Array;
let lastSeq = 0;

beforeAll(async () => {
  token = await client.authenticate();
  const opened = await openDatabase(fixture.databaseUrl);
  signingKey = await loadSigningKey(opened.database);
  await opened.close();
  await client.issue('m_1');
});

beforeEach(async () => {
  client.useToken(token);
  lastSeq = (await client.ledger(`after=${lastSeq}`)).at(-1)?.seq ?? lastSeq;
});

const send = ({ target, body, contentType }: BadRequest) => {
  const [method = '', path = ''] = target.split(' ');
  const headers = { authorization: `Bearer ${token}`, ...(body === null ? {} : { 'content-type': contentType }) };
  return fetch(`${fixture.authUrl}${path}`, { method, headers, ...(body === null ? {} : { body }) });
};

describe.each(partnerCases)('$operation', (endpoint) => {
  it.each(badRequests(endpoint).map((bad) => ({ name: bad.name, status: bad.status, bad })))(
    'of $name is answered $status',
    async ({ bad, status }) => {
      const response = await send(bad);
      const body = JSON.parse(await response.text()) as object;
      if (status === 'harmless') {
        expect(response.status).toBeLessThan(500);
        return;
      }
      expect([response.status, body]).toEqual([status, { message: expect.stringMatching(/./) as string }]);
      expect(await client.ledger(`after=${lastSeq}`)).toEqual([]);
    },
  );

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a scheme alone', 'Bearer'],
    ['of another scheme', 'Basic c2FuZGJveDpzYW5kYm94'],
    ['garbled', 'Bearer garbled'],
    ['of two dots', 'Bearer a.b.c'],
    ['very long', `Bearer ${'x'.repeat(8_000)}`],
  ])('with a token that is %s is answered 401', async (_name, authorization) => {
    const [method = '', path = ''] = endpoint.target.split(' ');
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${fixture.authUrl}${path}`, { method, headers });
    expect([response.status, await response.json()]).toEqual([401, { message: expect.any(String) as string }]);
  });

  it('with a token that is expired, or of another client, or changed, is answered 401', async () => {
    const settings = { clientSecret: 'sandbox', scope: null, ttlS: 60, signingKey };
    const ours = new TokenSigner({ ...settings, clientId: 'sandbox' });
    const others = new TokenSigner({ ...settings, clientId: 'other' });
    const good = ours.issue(Date.now());
    const wrong = [ours.issue(Date.now() - 61_000), others.issue(Date.now()), `${good}x`, `${good}.x`, good.slice(1)];
    for (const text of wrong) {
      client.useToken(text);
      expect((await sendCase(client, endpoint)).status).toBe(401);
    }
    client.useToken(token);
    expect(await client.ledger(`after=${lastSeq}`)).toEqual([]);
  });
});

describe('the token request', () => {
  const form = 'application/x-www-form-urlencoded';
  const good = String(tokenCase.body);

  it.each([
    ['of nothing', null, form, 400],
    ['of an empty form', '', form, 400],
    ['that cannot be decoded', '%zz=%&&&==', form, 400],
    ['with a field twice', `${good}&client_id=other`, form, 400],
    ['with a field called __proto__', '__proto__=x&grant_type=client_credentials', form, 400],
    ['with a wrong secret', good.replace('secret=sandbox', 'secret=sandbo%00'), form, 401],
    ['that is JSON', '{"grant_type":"client_credentials"}', 'application/json', 400],
    ['that is JSON nested deep', '['.repeat(1_000), 'application/json', 400],
    ['that is text', good, 'text/plain', 415],
    ['of more than a megabyte', `${good}&scope=${'x'.repeat(1_048_576)}`, form, 413],
  ])('%s is refused', async (...[, body, contentType, status]) => {
    const response = await send({ name: '', target: tokenCase.target, body, contentType, status });
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ message: expect.any(String) as string }),
    ]);
  });
});

describe("the sandbox's own endpoints", () => {
  it.each([
    ['PUT /__faults', '{"rules":', 400],
    ['PUT /__faults', '[]', 400],
    ['PUT /__faults', '{"rules":[{"operation":"issue","kind":"__proto__"}]}', 400],
    ['PUT /__faults', '{"rules":[{"operation":"issue","kind":"constructor"}]}', 400],
    ['PUT /__faults', '{"rules":[{"operation":"issue","kind":"redirect","location":"a\\r\\nb: c"}]}', 400],
    ['PUT /__faults', '{"rules":[{"operation":"issue","kind":"redirect","status":200}]}', 400],
    ['PUT /__faults', '{"rules":[{"operation":"issue","kind":"too-many","retryAfter":"date+soon"}]}', 400],
    ['PUT /__faults', '{"rules":[{"operation":"issue","kind":"latency","ms":1e400}]}', 400],
    ['GET /__ledger?unique_id=%00', null, 400],
    ['GET /__ledger?after=1e999', null, 400],
    ['GET /__ledger/%00', null, 404],
    ['GET /__ledger/%zz', null, 400],
    ['GET /__health/more', null, 404],
    ['POST /__health', '{}', 404],
    ['GET /__proto__', null, 404],
  ])('%s of %s is refused', async (target, body, status) => {
    const response = await send({ name: '', target, body, contentType: 'application/json', status });
    expect([response.status, await response.json()]).toEqual([
      status,
      { message: expect.stringMatching(/./) as string },
    ]);
  });
});

/** Writes bytes past every HTTP client, and reads until the connection ends. */
async function exchange(bytes: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(fixture.authUrl);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body };
}

describe('what is not quite HTTP', () => {
  const issue = 'POST /brands/101/programs/2001/issue-wallet HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a method that nobody knows', 'DANCE / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n', 400],
    ['a header of 20,000 characters', `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`, 431],
    ['2,000 headers', `GET / HTTP/1.1\r\nhost: x\r\n${'a: bcdefgh\r\n'.repeat(2_000)}\r\n`, 431],
    ['a length that is none', `${issue}content-length: many\r\n\r\n{}`, 400],
    ['a length and chunks', `${issue}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['a chunk that is none', `${issue}connection: close\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`, 400],
  ])('%s is answered %s', async (_name, bytes, status) => {
    const reply = await exchange(bytes);
    expect([reply.status, JSON.parse(reply.body)]).toEqual([status, { message: expect.stringMatching(/./) as string }]);
  });

  it('a body that ends early changes nothing', async () => {
    const { hostname, port } = new URL(fixture.authUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`${issue}authorization: Bearer ${token}\r\ncontent-length: 500\r\n\r\n{"passdata":{`);
    await new Promise((sent) => socket.write('"metaData":', sent));
    socket.destroy();
    expect((await client.lookUp('unique_id=m_1')).status).toBe(200);
    expect(await client.ledger(`after=${lastSeq}`)).toEqual([]);
  });
});

it('after all that, every good request is still served', async () => {
  await client.send('POST /__reset');
  await client.issue('m_1');
  for (const endpoint of [tokenCase, ...partnerCases]) {
    expect([endpoint.operation, (await sendCase(client, endpoint)).status]).toEqual([endpoint.operation, 200]);
  }
});
