import { walletPageSizeMax } from '#contracts';
import { VirtualClock } from '#test-support';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer, answerJson, cutBody, inTurn, type Reply, reset } from '../../test/scripted-server.js';
import { listPageSizeDefault, responseBodyBytesMax } from '../limits.js';
import { GatewayError } from '../port/call.js';
import type { PassListing, PassQuery } from '../port/pass-listing.js';

afterEach(closeStubs);

const program = { brandId: '101', programId: '2001' };
const options = { timeoutMs: 5_000 };
const place = '/brands/101/programs/2001/wallet-passes';

const pass = (passId: number): object => ({ passId, serialNumber: `s-${passId}`, templateId: 11, tracked: [passId] });

/** `ids` in pages, as the documented answer; the page asked for is read from the query. */
function pagesOf(ids: readonly number[], parameters = { size: 'pageSize', number: 'pageNumber' }, first = 1): Reply {
  return (socket, request) => {
    const query = new URL(request.path, 'http://x').searchParams;
    const pageSize = Number(query.get(parameters.size));
    const pageNumber = Number(query.get(parameters.number));
    const from = (pageNumber - first) * pageSize;
    const data = ids.slice(from, from + pageSize).map(pass);
    answerJson(200, { data, pageNumber, pageSize, totalCount: ids.length })(socket, request);
  };
}

async function drain(listing: PassListing): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { passId } of listing) seen.push(passId);
  return seen;
}

async function failureOf(listing: PassListing): Promise<GatewayError> {
  try {
    await drain(listing);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('the listing ended without an error');
}

describe('listPasses (4.5)', () => {
  it('asks for page after page and ends with the totals', async () => {
    const stub = await startStub(pagesOf([1, 2, 3, 4, 5]));
    const listing = stub.gateway.partner.listPasses(program, { ...options, pageSize: 2 });
    expect(await drain(listing)).toEqual([1, 2, 3, 4, 5]);
    expect(stub.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(
      [1, 2, 3].map((number) => `GET ${place}?pageSize=2&pageNumber=${number}`),
    );
    expect(listing.summary).toEqual({
      end: 'complete',
      pages: 3,
      rows: 5,
      unreadableRows: 0,
      totalCount: 5,
      agrees: true,
      nextPage: 4,
      shapeAlarms: [],
    });
  });

  it('keeps unknown fields, and asks for its default page size', async () => {
    const stub = await startStub(pagesOf([1]));
    const listed: unknown[] = [];
    for await (const each of stub.gateway.partner.listPasses(program, options)) listed.push(each);
    expect(listed).toEqual([pass(1)]);
    expect(stub.calls[0]?.path).toBe(`${place}?pageSize=${listPageSizeDefault}&pageNumber=1`);
  });

  it('speaks the dialect: names, first page, times, statuses', async () => {
    const dialect = {
      list: {
        names: { pageSize: 'size', pageNumber: 'page', statusCode: 'state', lastUpdatedStartDate: 'since' },
        firstPage: 0,
        timeFormat: 'milliseconds',
        statusAs: 'number',
      },
      status: { numbers: { ACTIVE: 200, GONE: 900 } },
    };
    const stub = await startStub(pagesOf([1, 2, 3], { size: 'size', number: 'page' }, 0), dialect);
    const query: PassQuery = { ...program, status: { code: 'GONE', compare: 'lt' }, lastUpdatedFromMs: 1_000 };
    expect(await drain(stub.gateway.partner.listPasses(query, { ...options, pageSize: 2 }))).toEqual([1, 2, 3]);
    expect(stub.calls[0]?.path).toBe(`${place}?size=2&page=0&state=900&statusCodeQueryType=lt&since=1000`);
  });

  it('sends every filter, percent-encoded', async () => {
    const stub = await startStub(pagesOf([]));
    const query: PassQuery = {
      ...program,
      email: 'a+b@x.org',
      uniqueId: 'm 1/ö',
      serialNumber: 's&1',
      groupId: 'g=1',
      templateId: '9007199254740993',
      templateTierId: 2,
      status: { code: 'ACTIVE', compare: 'gte' },
      lastUpdated: { atMs: Date.parse('2026-11-21T09:15:04.005Z'), compare: 'lte' },
      lastUpdatedFromMs: 0,
      lastUpdatedToMs: Date.parse('2026-12-01T00:00:00Z'),
    };
    await drain(stub.gateway.partner.listPasses(query, { ...options, pageSize: 1 }));
    expect(stub.calls[0]?.path.slice(place.length)).toBe(
      '?pageSize=1&pageNumber=1&email=a%2Bb%40x.org&unique_id=m%201%2F%C3%B6&serialNumber=s%261&groupId=g%3D1' +
        '&templateId=9007199254740993&templateTierId=2&statusCode=ACTIVE&statusCodeQueryType=gte' +
        '&lastUpdated=2026-11-21T09%3A15%3A04.005Z&lastUpdatedQueryType=lte' +
        '&lastUpdatedStartDate=1970-01-01T00%3A00%3A00.000Z&lastUpdatedEndDate=2026-12-01T00%3A00%3A00.000Z',
    );
  });

  it('a time with an offset, as the documented format can be read, too', async () => {
    const stub = await startStub(pagesOf([]), { list: { timeFormat: 'iso-offset' } });
    await drain(stub.gateway.partner.listPasses({ ...program, lastUpdatedFromMs: 0 }, options));
    expect(stub.calls[0]?.path).toContain('lastUpdatedStartDate=1970-01-01T00%3A00%3A00.000%2B0000');
  });

  it.each([
    ['pageSize: ', {}, { pageSize: walletPageSizeMax + 1 }],
    ['pageSize: ', {}, { pageSize: 0 }],
    ['startPage: ', {}, { startPage: -1 }],
    ['pagesMax: ', {}, { pagesMax: 1e9 }],
    ['uniqueId: ', { uniqueId: '' }, {}],
    ['templateId: ', { templateId: 'x' }, {}],
    ['lastUpdatedFromMs: ', { lastUpdatedFromMs: 1.5 }, {}],
    ['status.compare: ', { status: { code: 'ACTIVE', compare: 'ne' } }, {}],
    ['input: ', { memberId: 'm_1' }, {}],
    ['programId: ', { programId: '..' }, {}],
  ])('refuses what is no request: %s %j %j', async (problem, query, change) => {
    const stub = await startStub(pagesOf([]));
    const listing = stub.gateway.partner.listPasses({ ...program, ...query } as PassQuery, { ...options, ...change });
    const error = await failureOf(listing);
    expect(error).toMatchObject({ stage: 'request', code: 'invalid-request', retryAfterMs: null });
    expect(error.problems).toEqual([expect.stringContaining(problem)]);
    expect(listing.summary.end).toBe('failed');
    expect(stub.calls).toEqual([]);
  });

  it('a status that the dialect has no number for', async () => {
    const stub = await startStub(pagesOf([]), { list: { statusAs: 'number' } });
    const listing = stub.gateway.partner.listPasses({ ...program, status: { code: 'GONE' } }, options);
    expect(await failureOf(listing)).toMatchObject({
      stage: 'request',
      problems: [expect.stringContaining('status.code')],
    });
  });

  it.each([
    ['a refusal', answerJson(400, { message: 'pageSize is not known' }), { stage: 'answer', code: 'refused' }],
    ['too many', answerJson(429, {}, { 'retry-after': '3' }), { stage: 'answer', code: 'too-many-requests' }],
    ['an error', answerJson(503, {}), { stage: 'answer', code: 'http-503' }],
    ['two 401', answer(401, ''), { stage: 'token', code: 'unauthorized' }],
    ['no JSON', answer(200, '<html>'), { stage: 'answer', code: 'http-200-not-json' }],
    ['a bare list', answerJson(200, [pass(1)]), { stage: 'answer', code: 'http-200-other-json' }],
    ['no data', answerJson(200, { totalCount: 5 }), { stage: 'answer', code: 'not-a-page' }],
    ['data that is no list', answerJson(200, { data: {}, totalCount: 5 }), { stage: 'answer', code: 'not-a-page' }],
    ['a body cut off', cutBody, { stage: 'exchange', code: 'truncated' }],
    ['a reset', reset, { stage: 'exchange', code: 'reset' }],
  ] as const)('%s on the second page: thrown with its stage and code', async (_case, reply, expected) => {
    const first = answerJson(200, { data: [pass(1), pass(2)], pageNumber: 1, pageSize: 2, totalCount: 5 });
    const stub = await startStub(inTurn(first, reply));
    const listing = stub.gateway.partner.listPasses(program, { ...options, pageSize: 2 });
    const error = await failureOf(listing);
    expect(error).toMatchObject({ ...expected, retryAfterMs: error.code === 'too-many-requests' ? 3_000 : null });
    expect(error.message).toBe(`${expected.stage}: ${expected.code}`);
    expect(listing.summary).toMatchObject({ end: 'failed', rows: 2, nextPage: 2 });
  });

  it('a timeout holds for each page by itself, and an abort ends it', async () => {
    // Each page takes almost all of its time.
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    const clock = new VirtualClock();
    const slow: Reply = (socket, request) =>
      void clock.advance(1_499).then(() => {
        pagesOf(ids)(socket, request);
      });
    const stub = await startStub(slow, {}, clock);
    const patient = stub.gateway.partner.listPasses(program, { timeoutMs: 1_500, pageSize: 1 });
    expect(await drain(patient)).toEqual(ids);
    stub.call = () => void clock.advance(1_500);
    const late = stub.gateway.partner.listPasses(program, { timeoutMs: 1_500 });
    expect(await failureOf(late)).toMatchObject({ stage: 'exchange', code: 'timeout' });
    const aborted = stub.gateway.partner.listPasses(program, { ...options, signal: AbortSignal.abort() });
    expect(await failureOf(aborted)).toMatchObject({ stage: 'connection', code: 'aborted-before-send' });
  });

  it('a page of 2,000 passes is larger than other answers may be', async () => {
    const rows = Array.from({ length: walletPageSizeMax }, (_, index) => ({ ...pass(index), note: 'x'.repeat(700) }));
    const body = JSON.stringify({ data: rows, pageNumber: 1, pageSize: walletPageSizeMax, totalCount: rows.length });
    expect(body.length).toBeGreaterThan(responseBodyBytesMax);
    const stub = await startStub(inTurn(answer(200, body), answerJson(200, { data: [], totalCount: rows.length })));
    const listing = stub.gateway.partner.listPasses(program, { ...options, pageSize: walletPageSizeMax });
    expect(await drain(listing)).toHaveLength(walletPageSizeMax);
    expect(listing.summary).toMatchObject({ end: 'complete', agrees: true });
  });

  it('odd rows cost no page: what is readable is listed, the rest is counted and told', async () => {
    const data = [{ ...pass(1), templateId: 'x' }, 5, { ...pass(2), statusCode: 'ACTIVE', status: 300, run: 'odd' }];
    const stub = await startStub(answerJson(200, { data, pageNumber: '1', pageSize: 9, totalCount: 3 }), {
      list: { workflowProperty: 'run' },
    });
    const listing = stub.gateway.partner.listPasses(program, { ...options, pageSize: 9 });
    expect(await drain(listing)).toEqual([1, 2]);
    expect(listing.summary).toMatchObject({ rows: 3, unreadableRows: 1, agrees: true });
    expect(listing.summary.shapeAlarms).toEqual(['pageNumber', 'data.templateId', 'data', 'data.status', 'data.run']);
  });
});

describe('countPasses (4.5)', () => {
  it('asks for the count only', async () => {
    const stub = await startStub(answerJson(200, { data: [], pageNumber: 1, pageSize: 100, totalCount: 0 }));
    const report = await stub.gateway.partner.countPasses({ ...program, uniqueId: 'm_1' }, options);
    expect(report).toMatchObject({ kind: 'counted', totalCount: 0, shapeAlarms: [] });
    expect(stub.calls).toMatchObject([{ method: 'GET', path: `${place}?countOnly=true&unique_id=m_1` }]);
    expect(report.evidence.request.path).toBe('/101/programs/2001/wallet-passes?countOnly=true&unique_id=m_1');
  });

  it('in the words of the dialect', async () => {
    const dialect = { list: { names: { countOnly: 'only' }, countOnlyValue: '1' } };
    const stub = await startStub(answerJson(200, { data: [], totalCount: 7 }), dialect);
    expect(await stub.gateway.partner.countPasses(program, options)).toMatchObject({
      totalCount: 7,
      shapeAlarms: ['pageNumber', 'pageSize'],
    });
    expect(stub.calls[0]?.path).toBe(`${place}?only=1`);
  });

  it('without rows, which nobody asked for', async () => {
    const stub = await startStub(answerJson(200, { pageNumber: 1, pageSize: 100, totalCount: 3 }));
    const report = await stub.gateway.partner.countPasses(program, options);
    expect(report).toMatchObject({ kind: 'counted', totalCount: 3, shapeAlarms: ['data'] });
  });

  it.each([
    ['no count', answerJson(200, { data: [] }), { stage: 'answer', code: 'no-count' }],
    ['a count that is text', answerJson(200, { data: [], totalCount: '0' }), { stage: 'answer', code: 'no-count' }],
    ['a negative count', answerJson(200, { data: [], totalCount: -1 }), { stage: 'answer', code: 'no-count' }],
    [
      'rows beside a count of 0',
      answerJson(200, { data: [pass(1)], totalCount: 0 }),
      { stage: 'answer', code: 'count-disagrees' },
    ],
    ['a bare list', answerJson(200, []), { stage: 'answer', code: 'http-200-other-json' }],
    ['a refusal', answerJson(400, { message: 'no' }), { stage: 'answer', code: 'refused' }],
    ['an error', answerJson(500, {}), { stage: 'answer', code: 'http-500' }],
    ['two 401', answer(401, ''), { stage: 'token', code: 'unauthorized' }],
    ['a reset', reset, { stage: 'exchange', code: 'reset' }],
  ] as const)('%s proves nothing', async (_case, reply, expected) => {
    const stub = await startStub(reply);
    const report = await stub.gateway.partner.countPasses({ ...program, uniqueId: 'm_1' }, options);
    expect(report).toMatchObject({ kind: 'failed', ...expected });
  });

  it('an empty unique_id is never sent: it could count everybody, or nobody', async () => {
    const stub = await startStub(answerJson(200, { data: [], totalCount: 0 }));
    const report = await stub.gateway.partner.countPasses({ ...program, uniqueId: '' }, options);
    expect(report).toMatchObject({ kind: 'failed', stage: 'request', code: 'invalid-request' });
    expect(stub.calls).toEqual([]);
  });
});
