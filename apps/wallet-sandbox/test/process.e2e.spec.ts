import { execFile } from 'node:child_process';

import { type RunningProcess, programCommand, startProcess, type TestDatabase, testDatabase } from '#test-support';
import { SandboxClient } from './sandbox-client.js';

let database: TestDatabase;
let running: RunningProcess | null = null;

const program = programCommand('apps/wallet-sandbox/src/main.ts');

/** Starts the program on a free port and reads its one line. */
async function start(): Promise<{ running: RunningProcess; client: SandboxClient }> {
  running = await startProcess({ ...program, env: { DATABASE_URL: database.url, SANDBOX_PORT: '0' } });
  const authUrl = String(running.ready['authUrl']);
  expect(running.ready).toEqual({ ready: true, authUrl, baseUrl: `${authUrl}/brands` });
  return { running, client: new SandboxClient(authUrl) };
}

beforeAll(async () => {
  database = await testDatabase({ migrate: false });
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running?.exited;
});
afterAll(() => database.dispose());

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
      if (answered.size === 300) first.running.kill('SIGKILL');
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
});

it('SIGTERM answers what has arrived and exits 0, with one line said in all', async () => {
  const { running: draining, client } = await start();
  await client.authenticate();
  await client.send('POST /__reset');
  await client.faults([{ operation: 'issue', kind: 'latency', ms: 300 }]);
  const pending = client.issue('m_1');
  await expect(client.lookUp('unique_id=m_1')).resolves.toMatchObject({ status: 400 });
  draining.kill('SIGTERM');
  expect((await pending).status).toBe(200);
  expect(await draining.exited).toEqual({ code: 0, signal: null });
  expect(draining.stdout().trim().split('\n')).toHaveLength(1);
});

it('oversized is far over any limit', async () => {
  const oversizedBytes = 384 * 1024 * 1024;
  const { running: sandbox, client } = await start();
  const token = await client.authenticate();
  await client.send('POST /__reset');
  await client.faults([{ operation: 'lookup', kind: 'oversized', bytes: oversizedBytes }]);
  const response = await fetch(`${String(sandbox.ready['baseUrl'])}/101/programs/2001/wallets?unique_id=m_1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
  expect(bytes).toBeGreaterThan(oversizedBytes);
});

it.each([
  [{ SANDBOX_PORT: 'x' }, /SANDBOX_PORT/],
  [{ SANDBOX_SEED: '/nowhere/seed.yaml' }, /SANDBOX_SEED: cannot read/],
  [{ SANDBOX_HOST: '0.0.0.0' }, /SANDBOX_CONTROL_KEY: required where SANDBOX_HOST is not loopback/],
])('does not start with %j', async (wrong: Record<string, string>, message) => {
  await expect(startProcess({ ...program, env: { DATABASE_URL: database.url, ...wrong } })).rejects.toThrow(message);
});

it('says what it is when asked for help, and nothing else than that', async () => {
  const run = async (...words: readonly string[]): Promise<{ code: number; said: string }> => {
    const { command, args, cwd } = programCommand('apps/wallet-sandbox/src/main.ts', ...words);
    return new Promise((resolve) => {
      execFile(command, [...args], { cwd }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout + stderr }),
      );
    });
  };
  const help = await run('--help');
  expect(help.code).toBe(0);
  for (const name of ['SANDBOX_PORT', 'SANDBOX_SEED', 'DATABASE_URL']) expect(help.said).toContain(name);
  expect(await run('--port', '1')).toEqual({ code: 2, said: '--port: unknown; see --help\n' });
});
