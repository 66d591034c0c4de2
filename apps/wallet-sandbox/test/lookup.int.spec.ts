import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const { client } = fixture;

const emailProgram = '102/programs/2101';

/** Its member id is not its e-mail address: what is found by the one must not be found by the other. */
const issueByEmail = async (name: string): Promise<Record<string, unknown>> => {
  const body = { person: { email: `${name}@example.org` }, passdata: { metaData: { memberId: `m_${name}` } } };
  return (await client.send(`POST /brands/${emailProgram}/issue-wallet`, body)).json;
};

describe('a person with passes in several programs', () => {
  it('is answered with the pass of the program that was asked', async () => {
    const { json: direct } = await client.issue('m_1');
    const { json: byWorkflow } = await client.workflow('77', { passdata: { metaData: { memberId: 'm_1' } } });
    const personId = String(direct['personId']);
    expect(byWorkflow['personId']).toBe(personId);
    for (const query of [`person_id=${personId}`, 'unique_id=m_1', `person_id=${personId}&unique_id=m_1`]) {
      expect((await client.lookUp(query)).json['passId']).toBe(direct['passId']);
      expect((await client.lookUp(query, '101/programs/2002')).json['passId']).toBe(byWorkflow['passId']);
    }
  });

  it('is unknown to another brand', async () => {
    const { json } = await client.issue('m_1');
    for (const query of [`person_id=${String(json['personId'])}`, 'unique_id=m_1']) {
      expect((await client.lookUp(query, emailProgram)).status).toBe(400);
    }
  });
});

describe('parameters that name different cardholders', () => {
  it('find none', async () => {
    const ada = await issueByEmail('ada');
    const bob = await issueByEmail('bob');
    for (const query of [
      'email=ada%40example.org&unique_id=m_bob',
      `email=ada%40example.org&person_id=${String(bob['personId'])}`,
      `unique_id=m_bob&person_id=${String(ada['personId'])}`,
      `email=ada%40example.org&unique_id=m_ada&person_id=${String(bob['personId'])}`,
    ]) {
      const { status, json } = await client.lookUp(query, emailProgram);
      expect([query, status, json['message']]).toEqual([query, 400, expect.stringMatching(/No such pass/)]);
    }
  });

  it('and find the one they agree on', async () => {
    const ada = await issueByEmail('ada');
    const query = `email=ada%40example.org&unique_id=m_ada&person_id=${String(ada['personId'])}`;
    expect((await client.lookUp(query, emailProgram)).json).toEqual(ada);
  });

  it.each([
    ['email=ada%40example.org', 200],
    ['unique_id=m_ada', 200],
    ['unique_id=ada%40example.org', 400],
    ['email=m_ada', 400],
  ])('on a brand by e-mail: %s is answered with %d', async (query, status) => {
    await issueByEmail('ada');
    await issueByEmail('bob');
    expect((await client.lookUp(query, emailProgram)).status).toBe(status);
  });

  it('a brand by e-mail has rewards and transactions by the value in the metaData', async () => {
    const ada = await issueByEmail('ada');
    const program = `POST /brands/${emailProgram}`;
    const sale = { amount: 1, transactionDate: '2026-11-21T09:15:04Z', attributes: { receipt: 'R1' } };
    const type = `${program}/transaction-types/31/transactions`;
    const answers = [
      await client.send(`${program}/rewards/9001/wallet-pass?unique_id=m_ada`),
      await client.send(`${type}?unique_id=m_ada`, sale),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.json['passId']).toBe(ada['passId']);
    const byEmail = await client.send(`${type}?unique_id=ada%40example.org`, {
      ...sale,
      attributes: { receipt: 'R2' },
    });
    expect(byEmail.status).toBe(400);
  });

  it('a second pass of an e-mail address is refused, whatever its member id', async () => {
    await issueByEmail('ada');
    const body = { person: { email: 'ada@example.org' }, passdata: { metaData: { memberId: 'm_other' } } };
    const again = await client.send(`POST /brands/${emailProgram}/issue-wallet`, body);
    expect([again.status, again.json['message']]).toEqual([400, expect.stringContaining('ada@example.org')]);
  });

  it.each(['email=ada%40example.org', 'email=ada%40example.org&unique_id=m_1'])(
    'an e-mail address is none where it is not the unique identifier: %s',
    async (query) => {
      await client.issue('m_1', { person: { email: 'ada@example.org' } });
      const { status, json } = await client.lookUp(query);
      expect([status, json['message']]).toEqual([400, expect.stringContaining('email')]);
    },
  );
});

describe('several passes of one person in one program, which only a fault lets happen', () => {
  it('are answered with the newest, however it is asked', async () => {
    await client.faults([{ operation: 'issue', kind: 'not-unique' }]);
    const issued = [await client.issue('m_1'), await client.issue('m_1'), await client.issue('m_1')];
    const [first, , last] = issued.map(({ json }) => json);
    expect(new Set(issued.map(({ json }) => json['passId'])).size).toBe(3);
    for (const query of ['unique_id=m_1', `person_id=${String(first!['personId'])}`]) {
      expect((await client.lookUp(query)).json).toEqual(last);
    }
    await client.reward(`unique_id=m_1&serialNumber=${String(first!['serialNumber'])}`);
    const rewarded = await client.ledger('operation=reward');
    expect(rewarded.map((entry) => entry.passId)).toEqual([first!['passId']]);
  });
});

it('a stale lookup and a stale listing do not know a new pass yet', async () => {
  await client.issue('m_1');
  const stale = { kind: 'stale-lookup', ms: 600_000, count: 1 };
  await client.faults([
    { ...stale, operation: 'lookup' },
    { ...stale, operation: 'list' },
  ]);
  const total = async (): Promise<unknown> =>
    (await client.send('GET /brands/101/programs/2001/wallet-passes')).json['totalCount'];
  expect([(await client.lookUp('unique_id=m_1')).status, await total()]).toEqual([400, 0]);
  expect([(await client.lookUp('unique_id=m_1')).status, await total()]).toEqual([200, 1]);
});
