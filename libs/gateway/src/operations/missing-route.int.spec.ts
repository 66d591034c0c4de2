import { passCases, plainIds } from '../../test/attempt-cases.js';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer, answerJson, type Reply, type SeenRequest } from '../../test/scripted-server.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };
const member = { brandId: '101', programId: '2001', uniqueId: plainIds.uniqueId, uniqueIdKey: 'memberId' };

type Words = (request: SeenRequest, pathname: string) => string;

/** What web frameworks and gateways say of a path that they do not know, in their default words. */
const wordings: Readonly<Record<string, Words>> = {
  Fastify: ({ method, path }) => `Route ${method}:${path} not found`,
  Express: ({ method, path }) => `Cannot ${method} ${path}`,
  Laravel: (_request, pathname) => `The route ${pathname.slice(1)} could not be found.`,
  'Spring 6': (_request, pathname) => `No static resource ${pathname.slice(1)}.`,
  'Spring 5': ({ method }, pathname) => `No handler found for ${method} ${pathname}`,
  Apache: (_request, pathname) => `The requested URL ${pathname} was not found on this server.`,
  Tomcat: (_request, pathname) => `The requested resource [${pathname}] is not available`,
  'ASP.NET': ({ path }) =>
    `No HTTP resource was found that matches the request URI 'https://partner.example${path}'. Card controller not found.`,
  Rails: ({ method }, pathname) => `No route matches [${method}] "${pathname}"; member unknown`,
  Symfony: ({ method }, pathname) => `No route found for "${method} https://partner.example${pathname}": not found`,
  'a page in its words': (_request, pathname) => `<pre>Cannot find ${pathname.replaceAll('/', '&#x2F;')}</pre>`,
  'JSON within text': (_request, pathname) => `{"wallet":"${pathname.replaceAll('/', '\\/')} not found"}`,
  'a prefix taken off': (_request, pathname) => `Wallet endpoint ${pathname.replace('/brands', '')} does not exist`,
  'another put on': (_request, pathname) => `/internal/v2${pathname}: wallet not found`,
};

const refuse = (words: Words, status: number, more: object = {}): Reply => {
  return (socket, request) => {
    const message = words(request, request.path.replace(/\?.*$/, ''));
    answerJson(status, { message, ...more })(socket, request);
  };
};

const [reward, transaction] = passCases.slice(-2);

describe.each(Object.entries(wordings))('regression: a route that is not there, as %s says it', (_who, words) => {
  it.each([
    ['a reward', reward!],
    ['a transaction', transaction!],
  ])('is configuration to %s, whatever the dialect says of 404', async (_what, { call }) => {
    for (const dialect of [{}, { error: { contentStatuses: [400, 404], configurationStatuses: [403] } }]) {
      const stub = await startStub(refuse(words, 404), dialect);
      const { outcome } = await call(stub.gateway.partner, plainIds, options);
      expect(outcome).toMatchObject({ kind: 'not-applied', code: 'http-404', systemic: true });
    }
  });

  it('is no absence to a lookup', async () => {
    const stub = await startStub(refuse(words, 404));
    expect(await stub.gateway.partner.findPass(member, options)).toMatchObject({ kind: 'failed', code: 'http-404' });
  });

  it('is no lack of a pass with another status', async () => {
    const stub = await startStub(refuse(words, 400));
    const { outcome } = await transaction!.call(stub.gateway.partner, plainIds, options);
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'refused' });
  });
});

it('is told with ids that are percent-encoded, or not', async () => {
  const ids = { ...plainIds, targetId: 'free coffee/ü' };
  for (const shown of [(path: string) => path, decodeURIComponent, (path: string) => path.toLowerCase()]) {
    const stub = await startStub(refuse((_request, pathname) => `Wallet route ${shown(pathname)} not found`, 404));
    const { outcome } = await reward!.call(stub.gateway.partner, ids, options);
    expect(outcome).toMatchObject({ code: 'http-404', systemic: true });
  }
});

describe('what names a path beside its words is about what its words say', () => {
  const path = '/brands/101/programs/2001/transaction-types/77/transactions';

  it.each<[what: string, reply: Reply, outcome: object]>([
    [
      'Spring, of a card',
      answerJson(404, { message: 'Card not found', error: 'Not Found', path }),
      { code: 'no-such-pass' },
    ],
    ['Spring, of a path', answerJson(404, { message: 'No message available', path }), { code: 'http-404' }],
    [
      'a problem',
      answerJson(404, { title: 'Not Found', detail: `No resource ${path}`, instance: path }),
      { code: 'http-404' },
    ],
    ['Apache', answer(404, `<p>The requested URL ${path} was not found</p>`), { code: 'http-404' }],
    ['Kong', answerJson(404, { message: 'no Route matched with those values' }), { code: 'http-404' }],
    ['Go', answer(404, '404 page not found'), { code: 'http-404' }],
    [
      'another path',
      answerJson(404, { message: 'Wallet pass not found, see /brands/101/programs' }),
      { code: 'no-such-pass' },
    ],
  ])('%s', async (_who, reply, outcome) => {
    const stub = await startStub(reply);
    expect((await transaction!.call(stub.gateway.partner, plainIds, options)).outcome).toMatchObject(outcome);
  });
});

describe('what is not found may be something of theirs', () => {
  it.each([
    'Card template does not exist',
    'Wallet service not found',
    'No customer segment configured',
    'Transaction type not found for card program',
    'The member tier 9 was not found',
    'Unknown pass type',
  ])('%s: no lack of a pass', async (message) => {
    const stub = await startStub(answerJson(400, { message }));
    const { partner } = stub.gateway;
    expect((await transaction!.call(partner, plainIds, options)).outcome).toMatchObject({ code: 'refused' });
    expect(await partner.findPass(member, options)).toMatchObject({ kind: 'failed' });
  });

  it.each([
    'Wallet pass not found',
    'No wallet pass in program 2001',
    'Wallet pass of this program not found',
    'Could not find a pass for unique_id m_81273',
    'memberId m_81273: wallet not found',
    'Not found: memberId=m_81273',
    'Unknown card holder',
  ])('%s: there is none', async (message) => {
    const stub = await startStub(answerJson(404, { message }));
    const { partner } = stub.gateway;
    expect((await transaction!.call(partner, plainIds, options)).outcome).toMatchObject({ code: 'no-such-pass' });
    expect(await partner.findPass(member, options)).toMatchObject({ kind: 'absent' });
  });
});
