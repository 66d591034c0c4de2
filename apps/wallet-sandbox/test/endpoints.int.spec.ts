import { everyCase, sendCase } from './every-endpoint.js';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const { client } = fixture;

it.each(everyCase)('$operation is answered as specified, and with nothing more', async (endpoint) => {
  await client.issue('m_1');
  const { status, json } = await sendCase(client, endpoint);
  expect([status, json]).toEqual([200, endpoint.answer.parse(json)]);
});

describe('POST /oauth2/token', () => {
  it.each([
    [{ client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ client_id: 'wrong' }, 401, 'invalid_client'],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ scope: '' }, 400, 'invalid_scope'],
  ])('refuses %j', async (fields: Record<string, string>, status, error) => {
    const reply = await client.requestToken(fields);
    expect([reply.status, reply.json['error']]).toEqual([status, error]);
  });

  it('takes a form and nothing else', async () => {
    const body = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox', scope: 'x' };
    const reply = await client.send('POST /oauth2/token', body);
    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request']);
  });

  it('without a token, or with an unknown one, every call is refused', async () => {
    client.useToken('unknown');
    const replies = [await client.issue('m_1'), await client.lookUp('unique_id=m_1'), await client.sale('m_1', {})];
    expect(replies.map((reply) => reply.status)).toEqual([401, 401, 401]);
    const bare = await fetch(`${fixture.baseUrl}/101/programs/2001/wallets?unique_id=m_1`);
    expect(bare.status).toBe(401);
    expect(await client.ledger()).toEqual([]);
  });
});

describe('PUT /__client', () => {
  afterEach(() => client.send('PUT /__client', { clientSecret: 'sandbox' }));

  it('gives the client another secret; tokens and secret of before are refused', async () => {
    expect((await client.send('PUT /__client', { clientSecret: 'other' })).status).toBe(200);
    expect((await client.issue('m_1')).status).toBe(401);
    expect((await client.requestToken()).status).toBe(401);
    const { json } = await client.requestToken({ client_secret: 'other' });
    client.useToken(String(json['access_token']));
    expect((await client.issue('m_1')).status).toBe(200);
  });

  it.each([{}, { clientSecret: '' }, { clientSecret: 7 }, { clientSecret: 'x', more: 1 }])(
    'refuses %j',
    async (body) => {
      expect((await client.send('PUT /__client', body)).status).toBe(400);
      expect((await client.requestToken()).status).toBe(200);
    },
  );
});

describe('4.2 issue', () => {
  it.each([
    ['no unique id', { passdata: {} }, /passdata\.metaData\.memberId is required/],
    ['an unknown property', { colour: 'red' }, /colour/],
    ['a wrong type', { person: { firstName: 5 } }, /person\.firstName/],
    ['half a surrogate pair', { person: { firstName: '\ud800' } }, /cannot be stored/],
  ])('refuses %s', async (_name, content, message) => {
    const { status, json } = await client.issue('m_1', content);
    expect([status, json['message']]).toEqual([400, expect.stringMatching(message)]);
    expect(await client.ledger()).toEqual([]);
  });

  it('refuses a body that is not JSON', async () => {
    const reply = await client.send('POST /brands/101/programs/2001/issue-wallet', '{"person":');
    expect([reply.status, typeof reply.json['message']]).toEqual([400, 'string']);
  });

  it('refuses a second pass of a member, and gives the person a second pass in another program', async () => {
    const first = await client.issue('m_1');
    const second = await client.issue('m_1');
    const elsewhere = await client.workflow('77', { passdata: { metaData: { memberId: 'm_1' } } });
    expect([second.status, second.json['message']]).toEqual([400, expect.stringMatching(/duplicate.*memberId/i)]);
    expect(elsewhere.json['personId']).toBe(first.json['personId']);
    expect(elsewhere.json['passId']).not.toBe(first.json['passId']);
  });

  it('one value that cannot be stored does not harm the requests beside it', async () => {
    const names = ['a', 'b\ud800', 'c', 'd\u0000', 'e'];
    const replies = await Promise.all(names.map((name, index) => client.issue(`m_${index}`, { groupId: name })));
    expect(replies.map((reply) => reply.status)).toEqual([200, 400, 200, 400, 200]);
  });

  it('wants an e-mail address where that is the unique identifier, and nothing else', async () => {
    const issue = (person: object) => client.send('POST /brands/102/programs/2101/issue-wallet', { person });
    expect((await issue({ email: 'ada@example.org' })).status).toBe(200);
    const nameless = await issue({ firstName: 'Ada' });
    expect([nameless.status, nameless.json['message']]).toEqual([400, expect.stringContaining('person.email')]);
  });
});

describe('what would fit no index', () => {
  const long = 'x'.repeat(3_000);
  const issue = 'POST /brands/101/programs/2001/issue-wallet';
  const transactions = 'POST /brands/101/programs/2001/transaction-types/31/transactions';
  const sale = { amount: 1, transactionDate: '2026-11-21T09:15:04Z' };

  it.each([
    ['a member id', issue, { passdata: { metaData: { memberId: long } } }, /memberId/],
    ['a group', issue, { passdata: { metaData: { memberId: 'm_2' } }, groupId: long }, /groupId/],
    [
      'a value that is unique',
      `${transactions}?unique_id=m_1`,
      { ...sale, attributes: { receipt: long } },
      /attributes\.receipt/,
    ],
    ['an id asked for', `${transactions}?unique_id=${long}`, { ...sale, attributes: { receipt: 'R' } }, /unique_id/],
    ['a name', 'POST /brands/101/attributes', { name: long }, /name/],
  ])('is refused, and nothing is stored: %s', async (_what, target, body, message) => {
    await client.issue('m_1');
    const { status, json } = await client.send(target, body);
    expect([status, json['message']]).toEqual([400, expect.stringMatching(message)]);
    expect((await client.ledger()).map(({ operation }) => operation)).toEqual(['issue']);
  });

  it('is not what has 500 characters', async () => {
    const longest = 'ö'.repeat(500);
    expect((await client.issue(longest, { groupId: longest })).status).toBe(200);
    const body = { ...sale, attributes: { receipt: longest } };
    const { status } = await client.send(`${transactions}?unique_id=${encodeURIComponent(longest)}`, body);
    expect(status).toBe(200);
  });
});

it('a scope that is configured gets a token, and no other does', async () => {
  const strict = await fixture.startAnother({ SANDBOX_SCOPE: 'https://partner.example/admin' });
  const ask = async (scope: string): Promise<number> => {
    const form = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox', scope };
    const answer = await fetch(`${strict.authUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
    return answer.status;
  };
  try {
    expect([await ask('https://partner.example/admin'), await ask('admin')]).toEqual([200, 400]);
  } finally {
    await strict.stop();
  }
});

describe('4.1 lookup', () => {
  it.each([
    ['unique_id=m_2', /No such pass.*m_2/],
    ['unique_id=m_1&person_id=P1', /No such pass/],
    ['email=ada%40example.org', /email/],
    ['', /required/],
    ['memberId=m_1', /memberId/],
  ])('refuses ?%s', async (query, message) => {
    await client.issue('m_1');
    const { status, json } = await client.lookUp(query);
    expect([status, json['message']]).toEqual([400, expect.stringMatching(message)]);
  });

  it('does not find a pass of another program', async () => {
    await client.issue('m_1');
    expect((await client.lookUp('unique_id=m_1', '101/programs/2002')).status).toBe(400);
  });
});

describe('4.3 workflows', () => {
  it('issue where they are made for it, and are the only way in', async () => {
    const content = { passdata: { metaData: { memberId: 'm_1' } } };
    expect((await client.issue('m_1', {}, '101/programs/2002')).status).toBe(400);
    expect((await client.workflow('77', content)).status).toBe(200);
    expect((await client.workflow('77', content)).status).toBe(400);
    expect((await client.workflow('77', { ...content, groupId: null })).status).toBe(400);
    expect(await client.ledger()).toMatchObject([{ operation: 'issue-via-workflow', targetId: '77' }]);
  });

  it('update what is given and clear what is null', async () => {
    await client.issue('m_1', { groupId: 'g' });
    const content = { groupId: null, passdata: { points: 7, metaData: { memberId: 'm_1' } } };
    const updated = await client.workflow('78', content, '101/programs/2001');
    expect(updated.status).toBe(200);
    expect(updated.json).not.toHaveProperty('groupId');
    expect((await client.lookUp('unique_id=m_1')).json).toMatchObject({ passdata: { points: 7 } });
    expect(await client.ledger('operation=update-via-workflow')).toMatchObject([{ targetId: '78', body: content }]);
  });

  it('issue a pass where there is none to update, what is null left out', async () => {
    const content = { groupId: null, passdata: { points: 7, metaData: { memberId: 'm_9' } } };
    const reply = await client.workflow('78', content, '101/programs/2001');
    expect([reply.status, reply.json['groupId']]).toEqual([200, undefined]);
    expect((await client.lookUp('unique_id=m_9')).json).toMatchObject({ passdata: { points: 7 } });
    expect(await client.ledger()).toMatchObject([{ operation: 'update-via-workflow', body: content }]);
  });
});

describe('4.7 transactions', () => {
  it('find the card by its serial number too', async () => {
    const { json } = await client.issue('m_1');
    const path = `/brands/101/programs/2001/transaction-types/33/transactions?serialNumber=${String(json['serialNumber'])}`;
    const reply = await client.send(`POST ${path}`, { amount: 1, transactionDate: '2026-11-21T09:15:04Z' });
    expect(reply.status).toBe(200);
    expect(await client.ledger('operation=transaction')).toMatchObject([{ uniqueId: 'm_1', key: null }]);
  });

  it.each([
    [{ receipt: 5 }, /attributes\.receipt/],
    [{ receipt: 'R1', colour: 'red' }, /attributes\.colour/],
  ])('refuse attributes %j', async (attributes, message) => {
    await client.issue('m_1');
    const { status, json } = await client.sale('m_1', attributes);
    expect([status, json['message']]).toEqual([400, expect.stringMatching(message)]);
  });

  it('take a unique value once under 50 concurrent requests', async () => {
    await client.issue('m_1');
    const replies = await Promise.all(Array.from({ length: 50 }, () => client.sale('m_1', { receipt: 'R1' })));
    const refused = replies.filter((reply) => reply.status === 400);
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(refused).toHaveLength(49);
    for (const { json } of refused) expect(json['message']).toMatch(/duplicate.*receipt.*R1/i);
    expect(await client.ledger('operation=transaction')).toHaveLength(1);
  });

  it('without a unique attribute are taken as often as they come', async () => {
    await client.issue('m_1');
    await Promise.all(Array.from({ length: 5 }, () => client.sale('m_1', {}, '33')));
    expect(await client.ledger('operation=transaction')).toHaveLength(5);
  });
});

describe('4.6 rewards', () => {
  it('move the points, every time they come', async () => {
    await client.issue('m_1');
    const replies = await Promise.all(Array.from({ length: 10 }, () => client.reward('unique_id=m_1')));
    expect(replies.map((reply) => reply.status)).toEqual(Array(10).fill(200));
    expect((await client.lookUp('unique_id=m_1')).json).toMatchObject({ passdata: { points: 0 } });
    expect(await client.ledger('operation=reward')).toHaveLength(10);
  });

  it('find the card by pass id and serial number too', async () => {
    const { json } = await client.issue('m_1');
    const query = `passId=${String(json['passId'])}&serialNumber=${String(json['serialNumber'])}`;
    expect((await client.reward(query, '9002')).json).toMatchObject({ passdata: { points: 100 } });
    expect(await client.ledger('operation=reward')).toMatchObject([{ uniqueId: 'm_1', targetId: '9002', body: null }]);
  });

  it('take no body, of no unknown member', async () => {
    await client.issue('m_1');
    const path = '/brands/101/programs/2001/rewards/9001/wallet-pass?unique_id=m_1';
    expect((await client.send(`POST ${path}`, { points: 5 })).status).toBe(400);
    expect((await client.send(`POST ${path}`, '', { 'content-type': 'application/json' })).status).toBe(200);
    expect((await client.reward('unique_id=m_9')).json['message']).toMatch(/No such pass/);
  });
});

it.each([
  ['GET', '/nowhere'],
  ['DELETE', '/brands/101/programs/2001/wallets'],
  ['GET', '/brands/101/programs/9/wallets?unique_id=m_1'],
  ['POST', '/brands/101/programs/2001/workflows/9/wallet-passes'],
  ['POST', '/brands/101/programs/2001/rewards/9/wallet-pass?unique_id=m_1'],
])('%s %s is not found', async (method, path) => {
  const body = path.endsWith('wallet-passes') ? { passdata: { metaData: { memberId: 'm_1' } } } : undefined;
  const { status, json } = await client.send(`${method} ${path}`, body);
  expect([status, json['message']]).toEqual([404, expect.any(String)]);
});
