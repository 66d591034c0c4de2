import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase, type TestDatabase } from '#test-support';
import { readEnvironment } from '../src/sandbox-environment.js';
import { type RunningSandbox, startSandbox } from '../src/start-sandbox.js';
import { SandboxClient } from './sandbox-client.js';

const seed = `
brands:
  - id: 101
    uniqueIdentifier: metaData.memberId
    programs:
      - id: 2001
        templates: [11]
        tiers: [1, 2]
        rewards: [{ id: 9001, points: -10 }]
        passes:
          - person: { firstName: Ada }
            passdata: { points: 40, metaData: { memberId: m_old } }
            templateTierId: 2
            groupId: founders
            statusCode: SUSPENDED
            status: 300
            updatedAt: 2026-01-31T12:00:00Z
          - passdata: { metaData: { memberId: m_new } }
`;

let folder: string;
let database: TestDatabase;
let sandbox: RunningSandbox;
let client: SandboxClient;

async function start(text: string): Promise<RunningSandbox> {
  const file = join(folder, 'seed.yaml');
  await writeFile(file, text);
  return startSandbox(readEnvironment({ SANDBOX_PORT: '0', SANDBOX_SEED: file }), database.url);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wallet-sandbox-'));
  database = await testDatabase({ migrate: false });
}, 60_000);
beforeEach(async () => {
  sandbox = await start(seed);
  client = new SandboxClient(sandbox.authUrl);
  await client.authenticate();
});
afterEach(async () => {
  await client.send('POST /__reset');
  await sandbox.stop();
});
afterAll(async () => {
  await database.dispose();
  await rm(folder, { recursive: true });
});

const list = async (query: string): Promise<unknown[]> => {
  const { status, json } = await client.send(`GET /brands/101/programs/2001/wallet-passes?${query}`);
  expect(status).toBe(200);
  const data = json['data'] as { passdata: { metaData: { memberId: string } } }[];
  return data.map((pass) => pass.passdata.metaData.memberId);
};

it('the passes of the seed are there before anybody calls, as if they had been issued', async () => {
  expect((await client.lookUp('unique_id=m_old')).json).toMatchObject({
    templateId: 11,
    templateTierId: 2,
    groupId: 'founders',
    statusCode: 'SUSPENDED',
    status: 300,
    passdata: { points: 40 },
  });
  expect(await client.ledger()).toMatchObject([
    { seq: 1, operation: 'issue', uniqueId: 'm_old', requestId: 'seed' },
    { seq: 2, operation: 'issue', uniqueId: 'm_new', requestId: 'seed' },
  ]);
  expect((await client.issue('m_old')).status).toBe(400);
});

it.each([
  ['statusCode=SUSPENDED', ['m_old']],
  ['statusCode=SUSPENDED&statusCodeQueryType=lt', ['m_new']],
  ['statusCode=ACTIVE&statusCodeQueryType=gt', ['m_old']],
  ['statusCode=300&statusCodeQueryType=lte', ['m_old', 'm_new']],
  ['lastUpdated=2026-01-31T12:00:00.000Z', ['m_old']],
  ['lastUpdatedStartDate=2026-01-31T12:00:00.001Z', ['m_new']],
  ['lastUpdatedEndDate=2026-02-01T00:00:00.000Z', ['m_old']],
])('the listing finds them by %s', async (query, members) => {
  expect(await list(query)).toEqual(members);
});

it('a restart lets alone what became of them; a reset begins anew', async () => {
  await client.reward('unique_id=m_old');
  await sandbox.stop();
  sandbox = await start(seed);
  client = new SandboxClient(sandbox.authUrl);
  await client.authenticate();
  expect((await client.lookUp('unique_id=m_old')).json).toMatchObject({ passdata: { points: 30 } });
  expect(await client.ledger()).toHaveLength(3);
  await client.send('POST /__reset');
  expect((await client.lookUp('unique_id=m_old')).json).toMatchObject({ passdata: { points: 40 }, status: 300 });
  expect(await client.ledger()).toHaveLength(2);
});

it.each([
  ['no unique identifier', 'memberId: m_old', 'club: x', /metaData\.memberId is required/],
  ['the same twice', 'm_new', 'm_old', /m_old is given twice/],
  ['an unknown tier', 'templateTierId: 2', 'templateTierId: 3', /no tier 3/],
  ['a name without a number', 'status: 300', 'smsSubscription: 200', /given as a pair/],
  ['a status with two numbers', 'SUSPENDED', 'ACTIVE', /ACTIVE has two numbers/],
  ['a wrong time', '2026-01-31T12:00:00Z', 'yesterday', /updatedAt/],
  ['an unknown property', 'groupId', 'colour', /colour/],
])('a seed whose passes have %s is refused', async (...[, what, otherwise, message]) => {
  await expect(start(seed.replace(what, otherwise))).rejects.toThrow(message);
});
