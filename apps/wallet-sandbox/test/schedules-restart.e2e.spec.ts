import { waitUntil } from '#embedded';
import { type RunningProcess, programCommand, startProcess, type TestDatabase, testDatabase } from '#test-support';
import { type LedgerItem, SandboxClient } from './sandbox-client.js';

const program = programCommand('apps/wallet-sandbox/src/main.ts');
const passCount = 1_500;

let database: TestDatabase;
const running: RunningProcess[] = [];

/** Starts a sandbox on the one database of this file. */
async function start(): Promise<{ process: RunningProcess; client: SandboxClient }> {
  const process = await startProcess({ ...program, env: { DATABASE_URL: database.url, SANDBOX_PORT: '0' } });
  running.push(process);
  const client = new SandboxClient(String(process.ready['authUrl']));
  await client.authenticate();
  return { process, client };
}

async function issueAll(client: SandboxClient): Promise<void> {
  await client.send('POST /__reset');
  const members = Array.from({ length: passCount }, (_, index) => `m_${index}`);
  while (members.length > 0) await Promise.all(members.splice(0, 100).map((member) => client.issue(member)));
}

const schedule = (client: SandboxClient, scheduledTimestamp: number, points: number) =>
  client.send('PATCH /brands/101/programs/2001/wallets/schedule', {
    scheduledTimestamp,
    update: { passdata: { points } },
  });

const changesOf = (client: SandboxClient): Promise<LedgerItem[]> => client.ledger('operation=scheduled-change');

const changesAre = async (client: SandboxClient, count: number): Promise<LedgerItem[]> => {
  const read = async (): Promise<LedgerItem[] | null> => {
    const items = await changesOf(client);
    return items.length >= count ? items : null;
  };
  return waitUntil(read, { what: `${count} scheduled changes`, timeoutMs: 60_000 });
};

beforeAll(async () => {
  database = await testDatabase({ migrate: false });
});
afterEach(async () => {
  for (const process of running.splice(0)) {
    process.kill('SIGKILL');
    await process.exited;
  }
});
afterAll(() => database.dispose());

it('killed in the middle of a schedule, again and again, changes every pass once and forgets none', async () => {
  let { process, client } = await start();
  await issueAll(client);
  await schedule(client, 0, 7);
  const seen: number[] = [];
  for (const count of [1, passCount / 3, (passCount * 2) / 3]) {
    seen.push((await changesAre(client, count)).length);
    process.kill('SIGKILL');
    await process.exited;
    ({ process, client } = await start());
  }
  const items = await changesAre(client, passCount);
  expect(seen[0]).toBeLessThan(passCount);
  expect(items).toHaveLength(passCount);
  expect(new Set(items.map((item) => item.passId)).size).toBe(passCount);
  const listed = await client.send('GET /brands/101/programs/2001/wallet-passes?pageSize=2000');
  const passes = listed.json['data'] as { passdata: { points: number } }[];
  expect(passes.filter((pass) => pass.passdata.points === 7)).toHaveLength(passCount);
});

it('what was scheduled before a stop, and became due while nobody was there, happens after the next start', async () => {
  const first = await start();
  await first.client.send('POST /__reset');
  await first.client.issue('m_1');
  const dueAt = Date.now() + 200;
  await schedule(first.client, dueAt, 7);
  expect(await first.process.stop()).toEqual({ code: 0, signal: null });
  await waitUntil(() => Date.now() > dueAt, { what: 'the time of the schedule', timeoutMs: 30_000 });
  const second = await start();
  const [change] = await changesAre(second.client, 1);
  expect(Date.parse(change!.appliedAt)).toBeGreaterThan(dueAt);
});

it('two sandboxes on one database share a schedule and change no pass twice', async () => {
  const first = await start();
  await issueAll(first.client);
  const second = await start();
  // Each has accepted one of them, so that both wake at the same time and find both due.
  const dueAt = Date.now() + 500;
  await schedule(first.client, dueAt, 7);
  await schedule(second.client, dueAt, 8);
  const items = await changesAre(second.client, 2 * passCount);
  expect(items).toHaveLength(2 * passCount);
  const perSchedule = Map.groupBy(items, (item) => item.targetId);
  expect([...perSchedule.values()].map((changes) => new Set(changes.map((item) => item.passId)).size)).toEqual([
    passCount,
    passCount,
  ]);
  expect((await first.client.lookUp('unique_id=m_0')).json).toMatchObject({ passdata: { points: 8 } });
  expect((await first.client.ledger()).map((item) => item.seq)).toEqual(
    Array.from({ length: 3 * passCount + 2 }, (_, index) => index + 1),
  );
});
