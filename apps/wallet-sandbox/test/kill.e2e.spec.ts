import { type RunningProcess, programCommand, startProcess, testDatabase, type TestDatabase } from '#test-support';
import {
  type Audit,
  killLater,
  KillTraffic,
  killWhileWriting,
  type LoggedCall,
  pointsAfter,
  pointsOf,
  readAudit,
  readRows,
} from './kill-drill.js';
import { SandboxClient } from './sandbox-client.js';

const program = programCommand('apps/wallet-sandbox/src/main.ts');
/** `KILL_SEED=n` repeats the choices of a run; how its requests meet is the machine's affair. */
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const moments = ['any', 'ledger', 'any', 'unique_value'] as const;
const shops = 24;
const sentBeforeKill = { min: 150, span: 300 };
const delayMsSpan = 8;

let database: TestDatabase;
let running: RunningProcess | null = null;

interface Life {
  readonly running: RunningProcess;
  readonly client: SandboxClient;
}

async function start(): Promise<Life> {
  running = await startProcess({ ...program, env: { DATABASE_URL: database.url, SANDBOX_PORT: '0' } });
  return { running, client: new SandboxClient(String(running.ready['authUrl'])) };
}

/** Load from all shops until SIGKILL, at a moment that the seed decides or in the middle of a batch. */
async function liveAndDie(traffic: KillTraffic, moment: (typeof moments)[number], life: Life): Promise<void> {
  const killAt = sentBeforeKill.min + traffic.draw(sentBeforeKill.span);
  const delayMs = traffic.draw(delayMsSpan);
  const reached = Promise.withResolvers<number>();
  let sent = 0;
  const onSent = (): void => {
    sent += 1;
    if (sent === killAt) reached.resolve(sent);
  };
  const shopping = Promise.all(Array.from({ length: shops }, () => traffic.shop(life.client, onSent)));
  await reached.promise;
  await (moment === 'any' ? killLater(life.running, delayMs) : killWhileWriting(life.running, database.url, moment));
  await shopping;
  expect(await life.running.exited).toEqual({ code: null, signal: 'SIGKILL' });
}

const isEffect = ({ operation }: LoggedCall): boolean => operation !== 'lookup';
const namesOf = (calls: readonly { readonly call: LoggedCall }[]): string[] =>
  calls.map(({ call }) => `${call.requestId}: ${call.operation} ${call.member} -> ${call.reply?.status ?? 'lost'}`);

function expectLedgerAndAnswersAgree({ ledger, calls }: Audit): void {
  expect(ledger.map((item) => item.seq)).toEqual(ledger.map((_, index) => index + 1));
  const wrong = calls.filter(({ call, entries }) => {
    if (call.reply === null) return entries.length > 1;
    return entries.length !== (isEffect(call) && call.reply.status === 200 ? 1 : 0);
  });
  expect(namesOf(wrong)).toEqual([]);
  expect(calls.filter(({ call }) => ![undefined, 200, 400].includes(call.reply?.status))).toEqual([]);
  const reported = calls.flatMap(({ call, entries }) => entries.map((item) => ({ call, item })));
  expect(reported).toHaveLength(ledger.length);
  for (const { call, item } of reported) {
    const { operation, receipt: key, member: uniqueId, body } = call;
    expect(item).toMatchObject({ operation, key, uniqueId, body });
  }
}

type AuditedCall = Audit['calls'][number];

const answered = ({ calls }: Audit, operation: LoggedCall['operation']): readonly AuditedCall[] =>
  calls.filter(({ call }) => call.operation === operation && call.reply?.status === 200);

/** Each answer said what the ledger says of that moment. */
function expectAnswersTrue(audit: Audit): void {
  const { calls, issues, rewards } = audit;
  const withPass = [...answered(audit, 'issue'), ...answered(audit, 'reward'), ...answered(audit, 'lookup')];
  expect(withPass.map(({ call }) => [call.requestId, call.reply?.json['passId']])).toEqual(
    withPass.map(({ call }) => [call.requestId, issues.get(call.member)?.passId]),
  );
  for (const { call, entries } of answered(audit, 'reward')) {
    const ordinal = 1 + (rewards.get(call.member) ?? []).findIndex((item) => item === entries[0]);
    expect([call.requestId, pointsOf(call.reply)]).toEqual([call.requestId, pointsAfter(ordinal)]);
  }
  for (const { call } of answered(audit, 'lookup')) {
    expect(pointsOf(call.reply)).toBeLessThanOrEqual(pointsAfter(call.rewardsBefore));
    expect(pointsOf(call.reply)).toBeGreaterThanOrEqual(pointsAfter((rewards.get(call.member) ?? []).length));
  }
  const missed = calls.filter(({ call }) => call.operation === 'lookup' && call.reply?.status === 400);
  expect(namesOf(missed.filter(({ call }) => call.isIssuedBefore))).toEqual([]);
}

/** Every row of an effect, or none. */
async function expectRowsWhole(audit: Audit): Promise<void> {
  const { ledger, issues } = audit;
  const { counts, transactions } = await readRows(database.url);
  const sales = ledger.filter((item) => item.operation === 'transaction');
  const [passes, rows] = [issues.size, sales.length];
  expect(counts).toEqual({ passes, persons: passes, transactions: rows, uniqueValues: rows });
  const stored = new Map(transactions.map((row) => [row.receipt, row]));
  expect(sales.map(({ key, passId }) => [key, passId])).toEqual(
    transactions.map(({ receipt, passId }) => [receipt, passId]),
  );
  for (const { call } of answered(audit, 'transaction')) {
    expect(stored.get(String(call.receipt))?.transactionId).toBe(call.reply?.json['transactionId']);
  }
}

/** Looks every member up, and tries everything once more: only what left no trace may take effect now. */
async function probe(
  client: SandboxClient,
  traffic: KillTraffic,
  { calls, issues, rewards, ledger }: Audit,
): Promise<void> {
  const members = [...new Set(calls.map(({ call }) => call.member))];
  const looked = await Promise.all(
    members.map((member) => traffic.call(client, { operation: 'lookup', member, receipt: null })),
  );
  expect(
    looked.map((reply) => (reply.status === 200 ? [reply.json['passId'], pointsOf(reply)] : reply.status)),
  ).toEqual(
    members.map((member) => {
      const issue = issues.get(member);
      return issue === undefined ? 400 : [issue.passId, pointsAfter((rewards.get(member) ?? []).length)];
    }),
  );
  const issuedAgain = await Promise.all(
    members.map((member) => traffic.call(client, { operation: 'issue', member, receipt: null })),
  );
  expect(issuedAgain.map(({ status }) => status)).toEqual(members.map((member) => (issues.has(member) ? 400 : 200)));
  const used = new Set(ledger.map((item) => item.key));
  const receipts = [...new Set(calls.flatMap(({ call }) => call.receipt ?? []))];
  const soldAgain = await Promise.all(
    receipts.map((receipt) => traffic.call(client, { operation: 'transaction', member: 'm_0', receipt })),
  );
  expect(soldAgain.map(({ status }) => status)).toEqual(receipts.map((receipt) => (used.has(receipt) ? 400 : 200)));
}

beforeAll(async () => {
  database = await testDatabase({ migrate: false });
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running?.exited;
});
afterAll(() => database.dispose());

it(`killed ${moments.length} times under load, its ledger and its answers agree (KILL_SEED=${seed})`, async () => {
  const traffic = new KillTraffic(seed);
  let life = await start();
  const tokens = [await life.client.authenticate()];
  for (const [kill, moment] of moments.entries()) {
    await liveAndDie(traffic, moment, life);
    life = await start();
    life.client.useToken(tokens[0] ?? '');
    // The first effect takes its turn after whatever the killed process had sent to be committed.
    await traffic.call(life.client, { operation: 'issue', member: `probe_${kill}`, receipt: null });
    const audit = await readAudit(life.client, traffic);
    expectLedgerAndAnswersAgree(audit);
    expectAnswersTrue(audit);
    await expectRowsWhole(audit);
    await probe(life.client, traffic, audit);
    const after = await readAudit(life.client, traffic);
    expectLedgerAndAnswersAgree(after);
    expectAnswersTrue(after);
    tokens.push(await life.client.authenticate());
  }
  for (const token of tokens) {
    life.client.useToken(token);
    expect((await life.client.lookUp('unique_id=probe_0')).status).toBe(200);
  }
});
