import pg from 'pg';
import { rowsRead, type SentStatement } from '#test-support';
import type { Reply } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

let sql: pg.Client;

afterAll(() => sql.end());

const fixture = useSandbox();
const { client } = fixture;

beforeAll(async () => {
  sql = new pg.Client({ connectionString: fixture.databaseUrl });
  await sql.connect();
});

const list = (query = '', program = '101/programs/2001'): Promise<Reply> =>
  client.send(`GET /brands/${program}/wallet-passes?${query}`);

/** The members of a page, in its order. */
function members(reply: Reply): string[] {
  expect(reply.status).toBe(200);
  const data = reply.json['data'] as { passdata: { metaData: { memberId: string } } }[];
  return data.map((pass) => pass.passdata.metaData.memberId);
}

const issueMany = async (count: number): Promise<void> => {
  for (let index = 1; index <= count; index += 1) await client.issue(`m_${index}`);
};

/** Statuses and times as only a partner's own hands could make them. */
async function setPass(memberId: string, [statusCode, status]: [string, number], updatedAt: number): Promise<void> {
  await sql.query(
    `UPDATE wallet_sandbox.pass SET status_code = $2, status = $3, updated_at = $4 WHERE unique_id = $1`,
    [memberId, statusCode, status, updatedAt],
  );
}

describe('a page', () => {
  it('is answered as documented, with whole passes', async () => {
    const { json: issued } = await client.issue('m_1', { groupId: 'g', templateTierId: 2 });
    const { status, json } = await list();
    expect([status, json]).toEqual([200, { data: [issued], pageNumber: 1, pageSize: 100, totalCount: 1 }]);
  });

  it('is empty for a program without passes, and beyond the last', async () => {
    await issueMany(2);
    expect((await list('', '101/programs/2002')).json).toMatchObject({ data: [], totalCount: 0 });
    expect((await list('pageNumber=3&pageSize=1')).json).toMatchObject({ data: [], totalCount: 2, pageNumber: 3 });
    expect((await list('pageNumber=1000000000&pageSize=2000')).json).toMatchObject({ data: [], totalCount: 2 });
  });

  it('follows the one before it: every pass once, in order of pass id', async () => {
    await issueMany(7);
    const pages = await Promise.all([1, 2, 3].map((page) => list(`pageSize=3&pageNumber=${page}`)));
    expect(pages.map(members)).toEqual([['m_1', 'm_2', 'm_3'], ['m_4', 'm_5', 'm_6'], ['m_7']]);
    expect(pages.map((page) => page.json['totalCount'])).toEqual([7, 7, 7]);
  });

  it('keeps its place when its passes change', async () => {
    await issueMany(4);
    await client.reward('unique_id=m_1');
    expect(members(await list('pageSize=2'))).toEqual(['m_1', 'm_2']);
  });

  it('may be only counted', async () => {
    await issueMany(3);
    expect((await list('countOnly=true')).json).toEqual({ data: [], pageNumber: 1, pageSize: 100, totalCount: 3 });
    expect((await list('countOnly=true&unique_id=m_2')).json).toMatchObject({ data: [], totalCount: 1 });
    expect((await list('countOnly=false')).json['data']).toHaveLength(3);
  });

  it('does not show the passes of another program or brand', async () => {
    await client.issue('m_1');
    await client.workflow('77', { passdata: { metaData: { memberId: 'm_2' } } });
    expect(members(await list())).toEqual(['m_1']);
    expect(members(await list('', '101/programs/2002'))).toEqual(['m_2']);
    expect((await list('', '102/programs/2101')).json['totalCount']).toBe(0);
    expect((await list('', '102/programs/2001')).status).toBe(404);
  });
});

describe('filters', () => {
  it('by what a pass has', async () => {
    await client.issue('m_1', { groupId: 'a', templateTierId: 1 });
    const { json } = await client.issue('m_2', { groupId: 'b', templateTierId: 2 });
    const found = async (query: string): Promise<string[]> => members(await list(query));
    expect(await found('groupId=b')).toEqual(['m_2']);
    expect(await found('templateTierId=1')).toEqual(['m_1']);
    expect(await found('templateId=11')).toEqual(['m_1', 'm_2']);
    expect(await found('templateId=12')).toEqual([]);
    expect(await found('unique_id=m_1')).toEqual(['m_1']);
    expect(await found(`serialNumber=${String(json['serialNumber'])}`)).toEqual(['m_2']);
    expect(await found('groupId=a&templateTierId=1&templateId=11&unique_id=m_1&statusCode=ACTIVE')).toEqual(['m_1']);
    expect(await found('groupId=a&templateTierId=2')).toEqual([]);
    expect(await found(`groupId=${encodeURIComponent("a' OR '1'='1")}`)).toEqual([]);
  });

  it('by e-mail where it is the unique identifier, and nowhere else', async () => {
    const program = '102/programs/2101';
    for (const name of ['ada', 'bob']) {
      const body = { person: { email: `${name}@example.org` }, passdata: { metaData: { memberId: `m_${name}` } } };
      await client.send(`POST /brands/${program}/issue-wallet`, body);
    }
    const found = await list('email=bob%40example.org', program);
    expect([found.json['totalCount'], found.json['data']]).toMatchObject([
      1,
      [{ personId: expect.any(String) as string }],
    ]);
    expect((await list('email=bob%40example.org&unique_id=m_bob', program)).json['totalCount']).toBe(1);
    expect((await list('email=bob%40example.org&unique_id=m_ada', program)).json['totalCount']).toBe(0);
    expect((await list('unique_id=bob%40example.org', program)).json['totalCount']).toBe(0);
    const refused = await list('email=bob%40example.org');
    expect([refused.status, refused.json['message']]).toEqual([400, expect.stringContaining('email')]);
  });

  it.each([
    ['statusCode=ACTIVE', ['m_2']],
    ['statusCode=200', ['m_2']],
    ['statusCode=200&statusCodeQueryType=eq', ['m_2']],
    ['statusCode=200&statusCodeQueryType=lt', ['m_1']],
    ['statusCode=200&statusCodeQueryType=gt', ['m_3']],
    ['statusCode=200&statusCodeQueryType=lte', ['m_1', 'm_2']],
    ['statusCode=ACTIVE&statusCodeQueryType=gte', ['m_2', 'm_3']],
    ['statusCode=CLOSED', ['m_3']],
    ['statusCode=NOWHERE', []],
  ])('by status: %s', async (query, expected) => {
    await issueMany(3);
    await setPass('m_1', ['DRAFT', 100], 1);
    await setPass('m_3', ['CLOSED', 300], 3);
    expect(members(await list(query))).toEqual(expected);
  });

  const at = Date.UTC(2026, 10, 21, 9);
  it.each([
    [`lastUpdated=${at}`, ['m_2']],
    ['lastUpdated=2026-11-21T09:00:00.000Z', ['m_2']],
    ['lastUpdated=2026-11-21T10:00:00.000%2B0100', ['m_2']],
    ['lastUpdated=2026-11-21T04:00:00.000-05:00&lastUpdatedQueryType=eq', ['m_2']],
    [`lastUpdated=${at}&lastUpdatedQueryType=lt`, ['m_1']],
    [`lastUpdated=${at}&lastUpdatedQueryType=lte`, ['m_1', 'm_2']],
    [`lastUpdated=${at}&lastUpdatedQueryType=gt`, ['m_3']],
    [`lastUpdated=${at}&lastUpdatedQueryType=gte`, ['m_2', 'm_3']],
    [`lastUpdatedStartDate=${at}`, ['m_2', 'm_3']],
    [`lastUpdatedEndDate=${at}`, ['m_1', 'm_2']],
    [`lastUpdatedStartDate=${at}&lastUpdatedEndDate=2026-11-21T09:00:00.000Z`, ['m_2']],
    [`lastUpdatedStartDate=${at + 1}&lastUpdatedEndDate=${at}`, []],
    [`lastUpdatedStartDate=${at - 1}&lastUpdated=${at}&lastUpdatedQueryType=lt`, ['m_1']],
  ])('by the last update: %s', async (query, expected) => {
    await issueMany(3);
    await setPass('m_1', ['ACTIVE', 200], at - 1);
    await setPass('m_2', ['ACTIVE', 200], at);
    await setPass('m_3', ['ACTIVE', 200], at + 1);
    expect(members(await list(query))).toEqual(expected);
  });
});

describe('bad queries', () => {
  it.each([
    ['pageSize=2001', /pageSize/],
    ['pageSize=0', /pageSize/],
    ['pageSize=-1', /pageSize/],
    ['pageSize=ten', /pageSize/],
    ['pageSize=', /pageSize/],
    ['pageSize=1.5', /pageSize/],
    ['pageSize=1&pageSize=2', /pageSize/],
    ['pageNumber=0', /pageNumber/],
    ['pageNumber=99999999999', /pageNumber/],
    ['countOnly=yes', /countOnly/],
    ['templateId=x', /templateId/],
    ['templateTierId=', /templateTierId/],
    ['statusCode=200&statusCodeQueryType=ne', /statusCodeQueryType/],
    ['statusCodeQueryType=lt', /statusCodeQueryType/],
    ['statusCode=NOWHERE&statusCodeQueryType=lt', /NOWHERE/],
    ['lastUpdated=yesterday', /lastUpdated/],
    ['lastUpdated=2026-11-21', /lastUpdated/],
    ['lastUpdated=2026-02-30T00:00:00.000Z', /lastUpdated/],
    ['lastUpdated=5&lastUpdatedQueryType=like', /lastUpdatedQueryType/],
    ['lastUpdatedQueryType=lt', /lastUpdatedQueryType/],
    ['lastUpdatedStartDate=-1', /lastUpdatedStartDate/],
    ['lastUpdatedEndDate=9999999999999999', /lastUpdatedEndDate/],
    ['groupId=a%00b', /groupId/],
    ['unique_id=', /unique_id/],
    ['colour=red', /colour/],
  ])('?%s is refused', async (query, message) => {
    await client.issue('m_1');
    const { status, json } = await list(query);
    expect([status, json['message']]).toEqual([400, expect.stringMatching(message)]);
  });
});

it('a page of 2000 among 100,000 passes looks at each pass twice at most, early or late, filtered or not', async () => {
  await sql.query(
    `INSERT INTO wallet_sandbox.pass
       (pass_id, brand_id, program_id, unique_id, person_id, serial_number, template_id, template_tier_id, group_id,
        current_message, sms_subscription, ip_address, passdata, status_code, status, created_at, updated_at, identity)
     SELECT n, '101', '2001', 'm_' || n, 'P' || n, 'S-' || n, 11, 1 + n % 2, 'g' || n / 1000, NULL, NULL, NULL,
       jsonb_build_object('points', n, 'metaData', jsonb_build_object('memberId', 'm_' || n)), 'ACTIVE', 200, n, n, 'm_' || n
     FROM generate_series(1, 100000) AS n`,
  );
  await sql.query('ANALYZE wallet_sandbox.pass');
  const queries = [
    'pageSize=2000',
    'pageSize=2000&pageNumber=50',
    'pageSize=2000&groupId=g42',
    'pageSize=2000&templateTierId=2&pageNumber=20',
    'pageSize=2000&lastUpdated=98000&lastUpdatedQueryType=gt',
    'countOnly=true',
  ];
  for (const query of queries) {
    const asked = jest.spyOn(pg.Client.prototype, 'query');
    const { json } = await list(query);
    const sent = (asked.mock.calls as readonly (readonly unknown[])[]).map(([words]) => words as SentStatement);
    asked.mockRestore();
    expect(json['totalCount']).toBeGreaterThanOrEqual(1000);
    const readsPasses = sent.filter(({ text }) => text.includes('wallet_sandbox.pass '));
    expect(readsPasses).toHaveLength(1);
    const ask = async (text: string, values: readonly unknown[]) => (await sql.query<object>(text, [...values])).rows;
    const looked = await rowsRead(ask, readsPasses[0]!);
    expect({ query, looked, isEnough: looked >= 1_000, isTooMuch: looked > 200_000 }).toEqual({
      ...{ query, looked, isEnough: true, isTooMuch: false },
    });
  }
});
