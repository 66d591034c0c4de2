import { stringify } from 'yaml';
import { defaultSeed } from '../src/seed/load-seed.js';
import type { Reply } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

const spelling = {
  issue: {
    ipAddress: 'ip',
    templateTierId: 'tier',
    templateId: 'template',
    programId: 'program',
    brandId: 'brand',
    groupId: 'group',
    currentMessage: 'note',
    smsSubscription: 'sms',
  },
  list: {
    pageSize: 'size',
    pageNumber: 'page',
    countOnly: 'count',
    templateId: 'template',
    templateTierId: 'tier',
    statusCode: 'state',
    statusCodeQueryType: 'stateIs',
    lastUpdated: 'changed',
    lastUpdatedQueryType: 'changedIs',
    lastUpdatedStartDate: 'from',
    lastUpdatedEndDate: 'to',
    serialNumber: 'serial',
    groupId: 'group',
  },
  reward: { passId: 'pass', serialNumber: 'serial' },
  transaction: { serialNumber: 'serial' },
  schedule: { scheduledDateTime: 'at', timeZone: 'zone', update: 'changes' },
  scheduleFilters: {
    person_id: 'person',
    email: 'mail',
    serialNumber: 'serial',
    groupId: 'group',
    templateId: 'template',
    templateTierId: 'tier',
    statusCode: 'state',
  },
  brandAttribute: { brandId: 'ofBrand', required: 'mandatory', encrypted: 'secret', statusCode: 'state' },
  transactionAttribute: {
    description: 'about',
    transactionTypeId: 'ofType',
    brandId: 'ofBrand',
    programId: 'ofProgram',
    type: 'kind',
    uniqueKey: 'once',
    encrypted: 'secret',
  },
  personAttributes: 'attributes',
  dataTypes: { string: 'text' },
  smsValues: { '900': 'STOP' },
  statusNames: { ACTIVE: 'LIVE' },
  statusNumbers: { '200': 1 },
  firstPage: 0,
  countOnlyTrue: 'yes',
  createdStatus: 201,
  severalMatches: 'array',
};

/** Each name by itself, and that no other is taken, is asked by the contract suite, in three dialects. */
const program = '/brands/101/programs/2001';
const { client } = useSandbox({ seed: stringify({ ...defaultSeed, spelling }) });
let issued: Reply;

beforeEach(async () => {
  issued = await client.issue('m_1', { group: 'g', tier: 2 });
});

it('an issue is answered with the chosen status, by the names that are shown', () => {
  const { status, json } = issued;
  expect([status, json]).toEqual([
    201,
    expect.objectContaining({ groupId: 'g', templateTierId: 2, statusCode: 'LIVE', status: 1 }),
  ]);
});

const brief = { scheduledTimestamp: 4_102_444_800_000 };

it('the first page is 0, and the pages are answered so', async () => {
  await client.issue('m_2');
  const pages = await Promise.all(
    [0, 1].map((page) => client.send(`GET ${program}/wallet-passes?size=1&page=${page}`)),
  );
  expect(pages.map(({ json }) => [json['pageNumber'], (json['data'] as object[]).length])).toEqual([
    [0, 1],
    [1, 1],
  ]);
  expect((pages[0]?.json['data'] as object[])[0]).toMatchObject({ statusCode: 'LIVE', status: 1 });
});

it('filters of a schedule go by their chosen names', async () => {
  const filters = { group: 'g', template: 11, tier: 2, state: 1, serial: issued.json['serialNumber'] };
  const body = { ...brief, changes: { tier: 1 }, filters };
  const known = await client.send(`PATCH ${program}/wallets/schedule`, body);
  const unknown = await client.send(`PATCH ${program}/wallets/schedule`, { ...body, filters: { groupId: 'g' } });
  expect([known.status, unknown.status]).toEqual([200, 400]);
});

it('attributes are answered by their chosen names', async () => {
  const path = `POST ${program}/transaction-types/31/attributes`;
  const ofType = await client.send(path, { name: 'till', dataType: 'text', once: true });
  const ofBrand = await client.send('POST /brands/101/attributes', { name: 'colour', mandatory: false });
  expect([ofType.status, Object.keys(ofType.json).sort()]).toEqual([
    200,
    [
      'dataType',
      'kind',
      'name',
      'ofBrand',
      'ofProgram',
      'ofType',
      'once',
      'required',
      'secret',
      'transactionAttributeId',
    ],
  ]);
  expect(ofType.json['dataType']).toBe('text');
  expect([ofBrand.status, ofBrand.json]).toEqual([
    200,
    expect.objectContaining({ mandatory: false, ofBrand: 101, state: 'ACTIVE' }),
  ]);
  const canonical = await client.send(path, { name: 'desk', dataType: 'string' });
  expect([canonical.status, canonical.json['message']]).toEqual([400, expect.stringContaining('dataType')]);
});

it.each([
  [{ attributes: { birthday: '1990-02-01' }, firstName: 'Ada' }, 200],
  [{ birthday: '1990-02-01' }, 400],
  [{ attributes: { email: 'ada@example.org' } }, 400],
  [{ attributes: 5 }, 400],
])('child attributes of a person have a property of their own: %j', async (person, status) => {
  const content = { person, passdata: { metaData: { memberId: 'm_1' } } };
  expect((await client.workflow('78', content, '101/programs/2001')).status).toBe(status);
});

it('the sms value is the chosen one', async () => {
  const member = { passdata: { metaData: { memberId: 'm_1' } } };
  expect((await client.workflow('78', { ...member, sms: 900 }, '101/programs/2001')).status).toBe(400);
  expect((await client.workflow('78', { ...member, sms: 300 }, '101/programs/2001')).status).toBe(200);
});

it('a lookup that several passes fit is answered with an array, and with the pass where one fits', async () => {
  expect((await client.lookUp('unique_id=m_1')).json).toMatchObject({ passId: issued.json['passId'] });
  await client.faults([{ operation: 'issue', kind: 'not-unique' }]);
  await client.issue('m_1');
  const several = JSON.parse((await client.lookUp('unique_id=m_1')).text) as object[];
  expect(several).toMatchObject([{ statusCode: 'LIVE' }, { statusCode: 'LIVE', passId: issued.json['passId'] }]);
});

it('what is not spelled otherwise stays as it is, and the ledger keeps the names in here', async () => {
  const replies = [await client.reward('unique_id=m_1', '9002'), await client.sale('m_1', { receipt: 'R1' })];
  expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
  expect((await client.ledger('operation=issue'))[0]).toMatchObject({ body: { groupId: 'g', templateTierId: 2 } });
});
