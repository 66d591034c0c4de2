import { type Reply, SandboxClient } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const { client } = fixture;

const brand = '/brands/101';
const program = `${brand}/programs/2001`;
const createAttribute = (body: object, path = brand): Promise<Reply> => client.send(`POST ${path}/attributes`, body);
const updateAttribute = (id: unknown, body: object, path = brand): Promise<Reply> =>
  client.send(`PATCH ${path}/attributes/${String(id)}`, body);
const createTemplate = (body: object): Promise<Reply> => client.send(`POST ${program}/templates`, body);
const createTransactionAttribute = (body: object, type = '31'): Promise<Reply> =>
  client.send(`POST ${program}/transaction-types/${type}/attributes`, body);
const issueWith = (memberId: string, metaData: object): Promise<Reply> =>
  client.issue(memberId, { passdata: { metaData: { memberId, ...metaData } } });
const messageOf = ({ status, json }: Reply): unknown[] => [status, json['message']];
const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status);

describe('what is set up', () => {
  it('a card may be issued with a template of its own program only', async () => {
    const { templateId } = (await createTemplate({ name: 'gold', passType: 'GENERIC' })).json;
    expect((await client.issue('m_1', { templateId })).json).toMatchObject({ templateId });
    const elsewhere = await client.workflow('77', { templateId, passdata: { metaData: { memberId: 'm_2' } } });
    expect(messageOf(elsewhere)).toEqual([400, expect.stringContaining('templateId')]);
  });

  it('each effect is in the ledger, without a pass', async () => {
    const replies = [
      await createAttribute({ name: 'shop' }),
      await updateAttribute(501, { description: 'ours' }),
      await createTemplate({ name: 'gold', passType: 'GENERIC' }),
      await createTransactionAttribute({ name: 'voucher' }),
      await client.send(`PATCH ${program}/transaction-types/31`, { name: 'sale' }),
      await client.send(`PATCH ${brand}`, { name: 'Bean' }),
    ];
    const created = replies.map(({ json }) => json);
    const none = { brandId: '101', uniqueId: null, passId: null, key: null };
    const entry = (operation: string, programId: string | null, targetId: unknown): object => {
      return expect.objectContaining({ ...none, operation, programId, targetId: String(targetId) }) as object;
    };
    expect(await client.ledger()).toEqual([
      entry('create-brand-attribute', null, created[0]?.['brandAttributeId']),
      entry('update-brand-attribute', null, 501),
      entry('create-template', '2001', created[2]?.['templateId']),
      entry('create-transaction-attribute', '2001', created[3]?.['transactionAttributeId']),
      entry('update-transaction-type', '2001', 31),
      entry('update-brand', null, 101),
    ]);
    expect(await client.ledger('operation=create-template')).toHaveLength(1);
  });
});

describe('bad input changes nothing', () => {
  afterEach(async () => {
    expect(await client.ledger()).toEqual([]);
  });

  it.each([
    [`PATCH ${program}/transaction-types/31`, {}, /name/],
    [`PATCH ${program}/transaction-types/31`, { name: 5 }, /name/],
    [`PATCH ${program}/transaction-types/31`, { name: '' }, /name/],
    [`PATCH ${program}/transaction-types/31`, { name: 'sale', programId: 2001 }, /programId/],
    [`POST ${program}/transaction-types/31/attributes`, { dataType: 'string' }, /name/],
    [`POST ${program}/transaction-types/31/attributes`, { name: 'a', dataType: 'text' }, /dataType/],
    [`POST ${program}/transaction-types/31/attributes`, { name: 'a', required: 'yes' }, /required/],
    [`POST ${program}/transaction-types/31/attributes`, { name: 'receipt' }, /receipt/],
    [`POST ${brand}/attributes`, { dataType: 'string' }, /name/],
    [`POST ${brand}/attributes`, { name: 'a', dataType: 'text' }, /dataType/],
    [`POST ${brand}/attributes`, { name: 'a', unique: 1 }, /unique/],
    [`POST ${brand}/attributes`, { name: 'a', colour: 'red' }, /colour/],
    [`POST ${brand}/attributes`, { name: 'memberId' }, /memberId/],
    [`POST ${brand}/attributes`, { name: 'a\ud800' }, /cannot be stored/],
    [`POST ${brand}/attributes`, undefined, /./],
    [`PATCH ${brand}/attributes/501`, { searchable: 'yes' }, /searchable/],
    [`PATCH ${brand}/attributes/501`, { colour: 'red' }, /colour/],
    [`PATCH ${brand}/attributes/501`, { brandAttributeId: 502 }, /brandAttributeId/],
    [`POST ${program}/templates`, { passType: 'GENERIC' }, /name/],
    [`POST ${program}/templates`, { name: 'gold' }, /passType/],
    [`POST ${program}/templates`, { name: ['gold'], passType: 'GENERIC' }, /name/],
    [`PATCH ${brand}`, {}, /name/],
    [`PATCH ${brand}`, { name: null }, /name/],
    [`PATCH ${brand}`, { name: 'Bean', statusCode: 'ACTIVE' }, /statusCode/],
    [`PATCH ${brand}`, [], /./],
  ])('%s %j is refused with 400', async (request, body, message) => {
    expect(messageOf(await client.send(request, body))).toEqual([400, expect.stringMatching(message)]);
  });

  it.each([
    ['PATCH', '/brands/9', { name: 'a' }],
    ['POST', '/brands/9/attributes', { name: 'a' }],
    ['PATCH', '/brands/101/attributes/9', { name: 'a' }],
    ['PATCH', '/brands/101/attributes/x', { name: 'a' }],
    ['PATCH', '/brands/102/attributes/501', { name: 'a' }],
    ['POST', '/brands/102/programs/2001/templates', { name: 'a', passType: 'GENERIC' }],
    ['POST', '/brands/101/programs/9/templates', { name: 'a', passType: 'GENERIC' }],
    ['PATCH', '/brands/102/programs/2001/transaction-types/31', { name: 'a' }],
    ['PATCH', '/brands/101/programs/2001/transaction-types/9', { name: 'a' }],
    ['POST', '/brands/101/programs/2001/transaction-types/9/attributes', { name: 'a' }],
    ['POST', '/brands/102/programs/2001/transaction-types/31/attributes', { name: 'a' }],
  ])('%s %s is not found', async (method, path, body) => {
    expect(messageOf(await client.send(`${method} ${path}`, body))).toEqual([404, expect.any(String)]);
  });
});

describe('attributes of transaction types', () => {
  beforeEach(async () => {
    await client.issue('m_1');
  });

  it('are known, typed and required from their creation on', async () => {
    expect((await client.sale('m_1', { voucher: 5 })).status).toBe(400);
    await createTransactionAttribute({ name: 'voucher', dataType: 'number', required: true });
    expect(messageOf(await client.sale('m_1', {}))).toEqual([400, expect.stringContaining('attributes.voucher')]);
    expect(messageOf(await client.sale('m_1', { voucher: '5' }))).toEqual([400, expect.stringContaining('number')]);
    expect((await client.sale('m_1', { voucher: 5 })).status).toBe(200);
  });

  it('that are unique keys take a value once, and name the ledger entry', async () => {
    await createTransactionAttribute({ name: 'ticket', uniqueKey: true }, '33');
    const replies = await Promise.all(Array.from({ length: 10 }, () => client.sale('m_1', { ticket: 'T1' }, '33')));
    expect(statuses(replies).filter((status) => status === 200)).toHaveLength(1);
    expect(await client.ledger('operation=transaction')).toMatchObject([{ key: 'T1' }]);
  });

  it('are those of one type of one program', async () => {
    await createTransactionAttribute({ name: 'voucher', required: true });
    expect((await client.sale('m_1', {}, '33')).status).toBe(200);
  });

  it('no transaction after a required one lacks it, however they race', async () => {
    const sales = Array.from({ length: 20 }, () => client.sale('m_1', {}, '33'));
    const created = createTransactionAttribute({ name: 'voucher', required: true }, '33');
    await Promise.all([...sales, created, ...Array.from({ length: 20 }, () => client.sale('m_1', {}, '33'))]);
    const operations = (await client.ledger()).map(({ operation }) => operation);
    expect(operations.slice(operations.indexOf('create-transaction-attribute') + 1)).not.toContain('transaction');
  });
});

describe('brand attributes', () => {
  it('say what metaData must be, on issue and on update', async () => {
    await createAttribute({ name: 'visits', dataType: 'number', required: true });
    expect(messageOf(await issueWith('m_1', {}))).toEqual([400, expect.stringContaining('passdata.metaData.visits')]);
    expect(messageOf(await issueWith('m_1', { visits: 'many' }))).toEqual([400, expect.stringContaining('number')]);
    expect((await issueWith('m_1', { visits: 1, anything: true })).status).toBe(200);
    const update = (visits: unknown): Promise<Reply> =>
      client.workflow('78', { passdata: { metaData: { memberId: 'm_1', visits } } }, '101/programs/2001');
    expect(statuses([await update(undefined), await update(2), await update('2'), await update(null)])).toEqual([
      200, 200, 400, 400,
    ]);
  });

  it('govern the other programs of the brand and no other brand', async () => {
    await createAttribute({ name: 'visits', required: true });
    const workflow = await client.workflow('77', { passdata: { metaData: { memberId: 'm_1' } } });
    const elsewhere = { person: { email: 'ada@example.org' } };
    const other = await client.send('POST /brands/102/programs/2101/issue-wallet', elsewhere);
    expect(statuses([workflow, other])).toEqual([400, 200]);
  });

  it('that are unique belong to one cardholder, under 20 concurrent requests', async () => {
    await createAttribute({ name: 'shop', unique: true });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => issueWith(`m_${index}`, { shop: 'a' })));
    const refused = replies.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(19);
    for (const { json } of refused) expect(json['message']).toMatch(/duplicate.*metaData\.shop a/i);
    expect((await issueWith('m_30', { shop: 'b' })).status).toBe(200);
  });

  it('of one cardholder may be on passes of several programs, and are free when they are given up', async () => {
    await createAttribute({ name: 'shop', unique: true });
    await issueWith('m_1', { shop: 'a' });
    const inOther = (memberId: string): Promise<Reply> =>
      client.workflow('77', { passdata: { metaData: { memberId, shop: 'a' } } });
    expect(statuses([await inOther('m_2'), await inOther('m_1')])).toEqual([400, 200]);
    const giveUp = { passdata: { metaData: { memberId: 'm_1', shop: 'b' } } };
    await client.workflow('78', giveUp, '101/programs/2001');
    expect((await issueWith('m_3', { shop: 'a' })).status).toBe(400);
    await client.workflow('78', giveUp, '101/programs/2002');
    expect((await issueWith('m_3', { shop: 'a' })).status).toBe(200);
  });

  it('become unique for the passes that exist, unless two cardholders share a value', async () => {
    await Promise.all([
      issueWith('m_1', { shop: 'a' }),
      issueWith('m_2', { shop: 'a' }),
      issueWith('m_3', { shop: 'b' }),
    ]);
    const refused = await createAttribute({ name: 'shop', unique: true });
    expect(messageOf(refused)).toEqual([400, expect.stringContaining('shop')]);
    const { json } = await createAttribute({ name: 'shop' });
    expect((await updateAttribute(json['brandAttributeId'], { unique: true })).status).toBe(400);
    await client.workflow('78', { passdata: { metaData: { memberId: 'm_2', shop: null } } }, '101/programs/2001');
    expect((await updateAttribute(json['brandAttributeId'], { unique: true })).status).toBe(200);
    expect(statuses([await issueWith('m_4', { shop: 'b' }), await issueWith('m_4', { shop: 'c' })])).toEqual([
      400, 200,
    ]);
  });

  it('may cease to be unique and become so again', async () => {
    const { json } = await createAttribute({ name: 'shop', unique: true });
    await issueWith('m_1', { shop: 'a' });
    const replies: Reply[] = [];
    for (const unique of [false, true]) replies.push(await updateAttribute(json['brandAttributeId'], { unique }));
    expect(statuses([...replies, await issueWith('m_2', { shop: 'a' })])).toEqual([200, 200, 400]);
  });

  it.each([{ unique: false }, { name: 'market' }, { statusCode: 'INACTIVE' }])(
    'changed to %j leave the values free',
    async (changes) => {
      const { json } = await createAttribute({ name: 'shop', unique: true });
      await issueWith('m_1', { shop: 'a' });
      expect((await updateAttribute(json['brandAttributeId'], changes)).status).toBe(200);
      expect((await issueWith('m_2', { shop: 'a' })).status).toBe(200);
    },
  );
});

describe('the catalogue', () => {
  const changeAll = async (): Promise<unknown> => {
    await createAttribute({ name: 'shop', unique: true });
    await client.send(`PATCH ${brand}`, { name: 'Bean' });
    await client.send(`PATCH ${program}/transaction-types/31`, { name: 'sale' });
    await createTransactionAttribute({ name: 'voucher', required: true });
    return (await createTemplate({ name: 'gold', passType: 'GENERIC' })).json['templateId'];
  };
  /** 200s while the changes hold. */
  const probe = async (templateId: unknown): Promise<number[]> => {
    const metaData = { memberId: 'm_1', shop: 'a' };
    await client.issue('m_9', { passdata: { metaData: { memberId: 'm_9', shop: 'a' } } });
    const taken = await client.issue('m_1', { passdata: { metaData } });
    const issued = await client.issue('m_1', { templateId });
    const without = await client.sale('m_1', {});
    return statuses([taken, issued, without, await client.sale('m_1', { voucher: 'V' })]);
  };

  it('survives a restart', async () => {
    const templateId = await changeAll();
    await fixture.restart();
    expect(await probe(templateId)).toEqual([400, 200, 400, 200]);
    expect((await createAttribute({ name: 'shop' })).status).toBe(400);
    expect((await client.ledger()).filter(({ passId }) => passId === null)).toHaveLength(5);
  });

  it('is the seed again after a reset', async () => {
    const templateId = await changeAll();
    await client.send('POST /__reset');
    expect(await probe(templateId)).toEqual([200, 400, 200, 400]);
    await fixture.restart();
    expect((await createAttribute({ name: 'shop' })).status).toBe(200);
  });

  it('is followed by another sandbox on the same database', async () => {
    const second = await fixture.startAnother();
    try {
      const other = new SandboxClient(second.authUrl);
      await other.authenticate();
      const templateId = await changeAll();
      await other.issue('m_1');
      expect((await other.sale('m_1', {})).status).toBe(400);
      expect((await other.issue('m_2', { templateId })).status).toBe(200);
      await client.send('POST /__reset');
      await other.issue('m_1');
      expect((await other.sale('m_1', {})).status).toBe(200);
    } finally {
      await second.stop();
    }
  });

  it('has a name once, however many ask for it at a time', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => createAttribute({ name: 'shop' })));
    expect(statuses(replies).filter((status) => status === 200)).toHaveLength(1);
    expect(await client.ledger()).toHaveLength(1);
  });

  it('is untouched by a call that a fault stopped before it, and changed by one whose answer got lost', async () => {
    await client.faults([{ operation: 'create-brand-attribute', kind: 'error-before', count: 1 }]);
    expect((await createAttribute({ name: 'shop' })).status).toBe(500);
    expect(await client.ledger()).toEqual([]);
    await client.faults([{ operation: 'create-brand-attribute', kind: 'error-after', count: 1 }]);
    expect((await createAttribute({ name: 'shop' })).status).toBe(500);
    expect(await client.ledger()).toHaveLength(1);
    expect((await createAttribute({ name: 'shop' })).status).toBe(400);
  });
});

it('a value too long for an index is refused, and harms nobody beside it', async () => {
  const long = Array.from({ length: 4000 }, (_, index) => Math.imul(index + 1, 0x9e3779b1).toString(36)).join('');
  const replies = await Promise.all([client.issue('m_1'), client.issue(long), client.issue('m_2')]);
  expect(statuses(replies)).toEqual([200, 400, 200]);
});
