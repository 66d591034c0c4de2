import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type FreshDatabase, freshDatabase } from './fresh-database.js';
import { SandboxClient } from './sandbox-client.js';

let database: FreshDatabase;
let child: ChildProcess | null = null;

interface Started {
  readonly process: ChildProcess;
  readonly client: SandboxClient;
}

/** Starts the compiled program and waits for its one line. */
async function start(environment: Record<string, string> = {}): Promise<Started> {
  const variables = { PATH: process.env['PATH'] ?? '', DATABASE_URL: database.url, SANDBOX_PORT: '0', ...environment };
  const started = spawn('node', ['dist/apps/wallet-sandbox/src/main.js'], {
    env: variables,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  const [line] = (await once(createInterface({ input: started.stdout }), 'line')) as [string];
  const ready = JSON.parse(line) as { ready: boolean; baseUrl: string; authUrl: string };
  expect(ready).toEqual({ ready: true, authUrl: ready.authUrl, baseUrl: `${ready.authUrl}/brands` });
  return { process: started, client: new SandboxClient(ready.authUrl) };
}

beforeAll(async () => {
  await promisify(execFile)('npm', ['run', '--silent', 'build:if-stale']);
  database = await freshDatabase();
}, 120_000);

afterEach(() => child?.kill('SIGKILL'));
afterAll(() => database.stop());

it('after SIGKILL the ledger agrees with the answers, tokens are still good, nothing can be applied twice', async () => {
  const first = await start();
  const token = await first.client.authenticate();
  const members = Array.from({ length: 20 }, (_, index) => `m_${index}`);
  await Promise.all(members.map((member) => first.client.issue(member)));
  const answered = new Set<string>();
  const sell = async (member: string): Promise<void> => {
    for (let index = 0; ; index += 1) {
      const receipt = `${member}-${index}`;
      const reply = await first.client.sale(member, { receipt });
      if (reply.status === 200) answered.add(receipt);
      if (answered.size === 300) first.process.kill('SIGKILL');
    }
  };
  const sellers = await Promise.allSettled(members.map(sell));
  expect(sellers.every((seller) => seller.status === 'rejected')).toBe(true);

  const second = await start();
  second.client.useToken(token);
  const applied = (await second.client.ledger('operation=transaction')).map((item) => item.key);
  expect(applied).toEqual(expect.arrayContaining([...answered]));
  expect(new Set(applied).size).toBe(applied.length);
  const again = await Promise.all(applied.map((receipt) => second.client.sale('m_1', { receipt })));
  expect(again.every((reply) => reply.status === 400)).toBe(true);
  expect((await second.client.ledger()).map((item) => item.seq)).toEqual(
    Array.from({ length: applied.length + members.length }, (_, index) => index + 1),
  );
}, 60_000);

it('SIGTERM answers what has arrived and exits 0', async () => {
  const { process: running, client } = await start();
  await client.authenticate();
  await client.send('POST /__reset');
  await client.faults([{ operation: 'issue', kind: 'latency', ms: 300 }]);
  const pending = client.issue('m_1');
  await expect(client.lookUp('unique_id=m_1')).resolves.toMatchObject({ status: 400 });
  running.kill('SIGTERM');
  expect((await pending).status).toBe(200);
  const [code] = (await once(running, 'exit')) as [number];
  expect(code).toBe(0);
}, 30_000);

it.each([
  [{ SANDBOX_PORT: 'x' }, 'SANDBOX_PORT'],
  [{ SANDBOX_SEED: '/nowhere/seed.yaml' }, 'SANDBOX_SEED'],
])('exits 2 and names %j', async (environment, name) => {
  const variables = { PATH: process.env['PATH'] ?? '', DATABASE_URL: database.url, ...environment };
  const running = promisify(execFile)('node', ['dist/apps/wallet-sandbox/src/main.js'], { env: variables });
  await expect(running).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(name) as string });
});
