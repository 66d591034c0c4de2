import { stringify } from 'yaml';
import { defaultSeed } from '../src/seed/load-seed.js';
import type { Reply } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

const spelling = {
  issue: { templateTierId: 'tier', groupId: 'group' },
  personAttributes: 'attributes',
  statusNames: { ACTIVE: 'LIVE' },
  severalMatches: 'array',
};

/** That each name and value is taken, and no other, is asked by the contract suite, of partners who speak otherwise. */
const { client } = useSandbox({ seed: stringify({ ...defaultSeed, spelling }) });
let issued: Reply;

beforeEach(async () => {
  issued = await client.issue('m_1', { group: 'g', tier: 2 });
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
