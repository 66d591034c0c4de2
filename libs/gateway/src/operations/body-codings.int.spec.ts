import zlib from 'node:zlib';
import { attemptDialect, passCases, plainIds } from '../../test/attempt-cases.js';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { head, type Reply } from '../../test/scripted-server.js';
import { responseBodyBytesMax } from '../limits.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };
const member = { brandId: '101', programId: '2001', uniqueId: plainIds.uniqueId, uniqueIdKey: 'memberId' };
const pass = { passId: 7, serialNumber: 's-7', person: 'Müller', passdata: { metaData: { memberId: 'm_81273' } } };
const token = { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer', note: 'gültig' };

interface Coding {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: (json: string) => Buffer;
}

const json = { 'content-type': 'application/json' };
const coded = (name: string, bytes: Coding['bytes']): Coding => ({
  headers: { ...json, 'content-encoding': name },
  bytes,
});
const charset = (name: string, encoding: BufferEncoding): Coding => ({
  headers: { 'content-type': `application/json;charset=${name}` },
  bytes: (text) => Buffer.from(text, encoding),
});

/** As partners and gateways send what was asked for as it is, in UTF-8. */
const codings: readonly (readonly [string, Coding])[] = [
  ['gzip', coded('gzip', (text) => zlib.gzipSync(text))],
  ['deflate', coded('deflate', (text) => zlib.deflateSync(text))],
  ['bare deflate', coded('deflate', (text) => zlib.deflateRawSync(text))],
  ['br', coded('br', (text) => zlib.brotliCompressSync(text))],
  ['zstd', coded('zstd', (text) => zlib.zstdCompressSync(text))],
  ['two codings', coded('gzip, br', (text) => zlib.brotliCompressSync(zlib.gzipSync(text)))],
  ['ISO-8859-1', charset('ISO-8859-1', 'latin1')],
  ['ISO-8859-1, not said', { headers: json, bytes: (text) => Buffer.from(text, 'latin1') }],
  ['UTF-16', charset('utf-16', 'utf16le')],
  [
    'gzip of ISO-8859-1',
    {
      headers: { 'content-type': 'application/json; charset=latin1', 'content-encoding': 'gzip' },
      bytes: (text) => zlib.gzipSync(Buffer.from(text, 'latin1')),
    },
  ],
];

function answerIn({ headers, bytes }: Coding, status: number, body: unknown): Reply {
  return (socket) => {
    const sent = bytes(JSON.stringify(body));
    socket.write(head(status, { ...headers, 'content-length': String(sent.length) }));
    socket.write(sent);
  };
}

describe.each(codings)('regression: a partner that answers everything in %s', (_name, coding) => {
  const say = (status: number, body: unknown): Reply => answerIn(coding, status, body);

  it.each(passCases)('applies and refuses $section', async ({ answer, call }) => {
    const stub = await startStub(say(200, answer), attemptDialect);
    stub.token = say(200, token);
    expect((await call(stub.gateway.partner, plainIds, options)).outcome).toEqual({ kind: 'applied' });
    const message = 'Betrag ungültig';
    stub.call = say(400, { message });
    const refused = await call(stub.gateway.partner, plainIds, options);
    expect(refused.outcome).toEqual({ kind: 'rejected', code: 'refused', message });
    expect(refused.response?.body).toBe(JSON.stringify({ message }));
  });

  it('is read by lookups, counts, listings and the token request', async () => {
    const stub = await startStub(say(200, pass));
    stub.token = say(200, token);
    const { partner } = stub.gateway;
    expect(await partner.findPass(member, options)).toMatchObject({ kind: 'found', pass: { person: 'Müller' } });
    stub.call = say(404, { message: 'Für ihn: wallet pass not found' });
    expect(await partner.findPass(member, options)).toMatchObject({ kind: 'absent' });
    stub.call = say(200, { data: [pass], pageNumber: 1, pageSize: 500, totalCount: 1 });
    expect(await partner.countPasses({ brandId: '101', programId: '2001' }, options)).toMatchObject({ totalCount: 1 });
    const listed: unknown[] = [];
    for await (const one of partner.listPasses({ brandId: '101', programId: '2001' }, options)) listed.push(one);
    expect(listed).toMatchObject([{ passId: 7, person: 'Müller' }]);
    stub.token = say(400, { message: 'ungültig' });
    expect(await partner.checkToken(options)).toMatchObject({ code: 'http-400' });
    const asked = [...stub.calls, ...stub.tokenRequests].map(({ headers }) => headers['accept-encoding']);
    expect(new Set(asked)).toEqual(new Set(['identity']));
  });
});

describe('a body that cannot be read', () => {
  const { answer, call } = passCases.at(-1)!;
  const bomb: Coding = coded('gzip', () => zlib.gzipSync(Buffer.alloc(responseBodyBytesMax + 1, ' ')));
  const unknown: Coding = coded('compress', (text) => zlib.gzipSync(text));

  it.each([
    ['small, and beyond the bound', bomb, 200, { kind: 'unknown', code: 'response-too-large' }],
    ['in a coding that nobody knows', unknown, 200, { kind: 'unknown', code: 'http-200-not-json' }],
    ['of a refusal', unknown, 400, { kind: 'not-applied', code: 'http-400', systemic: true }],
    ['of a limit', unknown, 429, { kind: 'not-applied', code: 'too-many-requests' }],
  ])('%s leaves what the status says', async (_what, coding, status, outcome) => {
    const stub = await startStub(answerIn(coding, status, answer), { error: { message: '$' } });
    expect((await call(stub.gateway.partner, plainIds, options)).outcome).toMatchObject(outcome);
  });
});

describe('a refusal with one broken byte', () => {
  it.each([0xff, 0xc3, 0xfc])('is one: %i', async (byte) => {
    const bytes = Buffer.concat([Buffer.from('{"message":"Betrag '), Buffer.from([byte]), Buffer.from('!"}')]);
    const stub = await startStub(answerIn({ headers: json, bytes: () => bytes }, 400, null));
    const { outcome } = await passCases.at(-1)!.call(stub.gateway.partner, plainIds, options);
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'refused' });
  });
});
