import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import type { ProgramsStatus } from '#contracts';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { awaitEffects, ledgerSize, readLedger } from './partner.js';
import { awaitRest, endLeases, readProgress } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, produce, purchased } from './traffic.js';
import { evaluateInWorker, inspected } from './worker-inspector.js';

const memberCount = 120;
const members = Array.from({ length: memberCount }, (_, index) => `w-${index}`);
const requestsPerSecond = 100;
/** Slow enough that there is work left whenever a daemon ends. */
const slow = `${programsFile}    limits: { requestsPerSecond: ${requestsPerSecond}, concurrency: 9 }\n`;
const graceMs = 10_000;
/** How long the slowest partner takes. */
const answerMs = 8_000;
const patient = { timeoutMs: 60_000 };

let harness: Harness;
let emitted = 0;

const emit = async (emissions: readonly Emission[]): Promise<void> => {
  await produce(harness.broker, harness.topics, emissions);
  emitted += emissions.length;
};
const buy = (name: string): Promise<void> =>
  emit(members.map((memberId) => purchased(memberId, `${name}-${memberId}`)));
const moreEffects = async (count: number): Promise<void> =>
  awaitEffects(harness.sandboxUrl, (await ledgerSize(harness.sandboxUrl)) + count);
const start = (env: Readonly<Record<string, string>> = {}): Promise<RunningProcess> =>
  harness.startDaemon({ LOYALTYD_WORKERS: '2', SHUTDOWN_GRACE_MS: String(graceMs), OPS_TOKENS: apiTokens, ...env });
const setFaults = async (rules: readonly object[]): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${harness.sandboxUrl}/__faults`, { method: 'PUT', headers, body: JSON.stringify({ rules }) });
};
const strayLeases = (): Promise<object[]> =>
  queryOnce(harness.database.url, 'SELECT lane_id FROM lane WHERE owner IS NOT NULL OR attempt_open');
const replicas = async (): Promise<number> =>
  (await queryOnce(harness.database.url, 'SELECT replica_id FROM replica')).length;

async function ask(daemon: RunningProcess, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const { operations } = daemon.ready as unknown as { readonly operations: string };
  const answer = await fetch(`${operations}${path}`);
  return { status: answer.status, text: await answer.text() };
}

/** The values of a metric by its labels, as they are written. */
async function metric(daemon: RunningProcess, name: string): Promise<ReadonlyMap<string, number>> {
  const { text } = await ask(daemon, '/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return new Map(lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

const total = (values: ReadonlyMap<string, number>): number => [...values.values()].reduce((sum, one) => sum + one, 0);

interface LogLine {
  readonly worker?: number;
  readonly msg: string;
}

/** Every line is one JSON object. */
const linesOf = (daemon: RunningProcess): LogLine[] =>
  daemon
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
const workersThat = (daemon: RunningProcess, message: string): Set<number | undefined> =>
  new Set(linesOf(daemon).flatMap(({ worker, msg }) => (msg === message ? [worker] : [])));

async function judged(): Promise<void> {
  await awaitRest(harness.database.url, emitted);
  expect(await readLedger(harness.sandboxUrl)).toHaveLength(emitted);
  const { violations, exposures, retailer } = await judgeHarness(harness);
  expect([violations, exposures]).toEqual([[], {}]);
  expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: emitted } });
}

beforeAll(async () => {
  harness = await openHarness(slow);
}, 180_000);

afterEach(async () => {
  await harness.closeDaemons();
}, 60_000);

afterAll(async () => {
  await harness.close();
}, 60_000);

describe('a daemon with two workers', () => {
  it('shares the work and the limits, is one process to others, and tells of itself as one', async () => {
    const daemon = await start();
    await waitUntil(async () => (await replicas()) === 2, { what: 'two replicas', ...patient });
    const since = performance.now();
    await emit(members.map(enrolled));
    await buy('shared');
    await awaitRest(harness.database.url, emitted);
    // The bucket of a second is a tenth of its rate at most, and so is what a share's change lets through.
    expect((performance.now() - since) / 1_000).toBeGreaterThan((emitted * 0.8) / requestsPerSecond);
    expect(workersThat(daemon, 'attempt recorded')).toEqual(new Set([1, 2]));
    expect(linesOf(daemon).some(({ worker }) => worker === undefined)).toBe(true);
    const deliveries = async (): Promise<number> => total(await metric(daemon, 'loyaltyd_deliveries_total'));
    await waitUntil(async () => (await deliveries()) === emitted, { what: 'all to be counted', ...patient });
    // A rebalance may have records read twice.
    const ingested = [...(await metric(daemon, 'loyaltyd_events_ingested_total'))];
    expect(total(new Map(ingested.filter(([labels]) => labels.includes('"recorded"'))))).toBe(emitted);
    const limit = (await metric(daemon, 'loyaltyd_partner_limit')).get('{program="coffee-club"}');
    // 5 and 4, as far as each has adapted.
    expect(limit).toBeLessThanOrEqual(9);
    expect(limit).toBeGreaterThanOrEqual(2);
    expect(await metric(daemon, 'loyaltyd_database_up')).toEqual(new Map([['', 1]]));
    expect(await metric(daemon, 'process_start_time_seconds')).toHaveProperty('size', 1);
    expect([...(await metric(daemon, 'loyaltyd_worker_busy_ratio')).keys()].toSorted()).toEqual(
      ['1', '2', 'main'].map((worker) => `{worker="${worker}"}`),
    );
    const lags = async (): Promise<number> => (await metric(daemon, 'loyaltyd_consumer_lag')).size;
    await waitUntil(async () => (await lags()) === 12, {
      what: 'the lag of three topics of four partitions',
      ...patient,
    });
    const { processes } = (await new ApiClient(daemon, 'viewer').get('/reload')).body as ProgramsStatus;
    expect(processes.map(({ roles }) => roles)).toEqual([['ingest', 'delivery', 'operations']]);
    expect((await ask(daemon, '/health/live')).status).toBe(200);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    await judgedByNext();
  }, 180_000);

  /**
   * Whoever delivers tells what has come of it. Its consumers join once the broker has given up those that died without a
   * word: up to a rebalance (20 s) later, and a drain waits for a join that has begun.
   */
  async function judgedByNext(): Promise<void> {
    const next = await start({ SHUTDOWN_GRACE_MS: '30000' });
    await judged();
    expect(await next.stop()).toEqual({ code: 0, signal: null });
  }

  it('drains both under load within the grace, and leaves no lease', async () => {
    const [one, two] = [await start(), await start()];
    for (const round of ['a', 'b', 'c', 'd']) await buy(`drained-${round}`);
    await moreEffects(60);
    const askedAt = performance.now();
    expect(await one.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - askedAt).toBeLessThan(graceMs);
    expect(workersThat(one, 'draining')).toEqual(new Set([1, 2, undefined]));
    expect(await replicas()).toBe(2);
    await moreEffects(60);
    expect(await two.stop()).toEqual({ code: 0, signal: null });
    expect([await strayLeases(), await replicas()]).toEqual([[], 0]);
    expect((await readProgress(harness.database.url)).moving).toBeGreaterThan(0);
    await judgedByNext();
  }, 180_000);

  it('ends at once at a second signal, however long a call takes', async () => {
    await setFaults([{ operation: 'transaction', kind: 'latency', probability: 1, ms: answerMs }]);
    const hurried = await start({ WALLET_TIMEOUT_MS: String(answerMs + 1_000) });
    await buy('hurried');
    const isOpen = async (): Promise<boolean> => (await strayLeases()).length > 0;
    await waitUntil(isOpen, { what: 'calls under way', ...patient });
    hurried.kill('SIGTERM');
    await waitUntil(() => workersThat(hurried, 'draining').size === 3, { what: 'all threads to drain', ...patient });
    const askedAt = performance.now();
    hurried.kill('SIGTERM');
    expect(await hurried.exited).toEqual({ code: 1, signal: null });
    expect(performance.now() - askedAt).toBeLessThan(answerMs / 2);
    await setFaults([]);
    await endLeases(harness.database.url);
    await judgedByNext();
  }, 180_000);

  it('killed with its workers in the middle of their work loses nothing and does nothing twice', async () => {
    const killed = await start();
    for (const round of ['a', 'b', 'c']) await buy(`killed-${round}`);
    await moreEffects(80);
    killed.kill('SIGKILL');
    await killed.exited;
    await judgedByNext();
  }, 180_000);

  it('drains and ends where a worker ends by a defect', async () => {
    const daemon = await start(inspected);
    for (const round of ['a', 'b']) await buy(`broken-${round}`);
    await moreEffects(40);
    await evaluateInWorker(daemon, 2, `setImmediate(() => { throw new TypeError('ada@example.org'); })`);
    expect(await daemon.exited).toEqual({ code: 1, signal: null });
    expect(workersThat(daemon, 'a defect of ours: the process ends')).toEqual(new Set([2]));
    expect(workersThat(daemon, 'draining')).toEqual(new Set([1, undefined]));
    expect(daemon.stderr()).not.toContain('ada@example.org');
    await endLeases(harness.database.url);
    await judgedByNext();
  }, 180_000);

  it('is not alive where a worker is stuck, and does not wait for it longer than the grace', async () => {
    const daemon = await start({ ...inspected, SHUTDOWN_GRACE_MS: '1000' });
    await evaluateInWorker(daemon, 1, 'for (;;);');
    const isDead = async (): Promise<boolean> => (await ask(daemon, '/health/live')).status === 503;
    await waitUntil(isDead, { what: 'the probe to notice', ...patient });
    expect((await ask(daemon, '/health/live')).text).toContain('worker 1: its event loop does not turn');
    expect((await ask(daemon, '/metrics')).text).toContain('loyaltyd_worker_busy_ratio{worker="1"}');
    expect(await daemon.stop()).toEqual({ code: 1, signal: null });
    await endLeases(harness.database.url);
  }, 120_000);

  it('reloads in both workers, at a signal and when the file changes', async () => {
    const daemon = await start();
    const message = 'programs file read again';
    await harness.writePrograms(programsFile);
    daemon.kill('SIGHUP');
    const all = new Set([undefined, 1, 2]);
    const haveRead = (): boolean => workersThat(daemon, message).size === all.size;
    await waitUntil(haveRead, { what: 'all threads to work by the new file', ...patient });
    const { hash } = JSON.parse(
      daemon
        .stderr()
        .split('\n')
        .find((line) => line.includes(message)) ?? '{}',
    ) as { hash: string };
    await harness.writePrograms(slow);
    const changes = (): LogLine[] =>
      linesOf(daemon).filter((line) => line.msg === message && !JSON.stringify(line).includes(hash));
    await waitUntil(() => changes().length === all.size, { what: 'all threads to follow', ...patient });
    await buy('reloaded');
    await judged();
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  }, 120_000);
});
