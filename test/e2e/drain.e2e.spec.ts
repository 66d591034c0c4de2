import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { awaitEffects, ledgerSize, readLedger } from './partner.js';
import { awaitRest, endLeases, readProgress, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, produce, purchased } from './traffic.js';

const memberCount = 200;
const purchasesPerMember = 6;
const stopAfterEffects = 200;
const graceMs = 30_000;
/** How long the slowest partner takes. */
const answerMs = 15_000;
/** Slow enough that there is work left whenever one stops. What is left then is done under the file without a limit. */
const slow = `${programsFile}    limits: { requestsPerSecond: 100 }\n`;

/** Calls that had been begun, or were about to be, when the drain was asked for: of a thousand that are due. */
const underWayMax = 128;

interface FaultsAnswer {
  readonly rules: readonly { readonly struck: number }[];
}

let harness: Harness;

beforeAll(async () => {
  harness = await openHarness(slow);
});

afterAll(async () => {
  await harness.close();
});

describe('daemons told to stop in the middle of their work', () => {
  let emitted = 0;

  const emit = async (emissions: readonly Emission[]): Promise<void> => {
    await produce(harness.broker, harness.topics, emissions);
    emitted += emissions.length;
  };
  const moreEffects = async (count: number): Promise<void> => {
    await awaitEffects(harness.sandboxUrl, (await ledgerSize(harness.sandboxUrl)) + count);
  };
  const atRest = (): Promise<void> => awaitRest(harness.database.url, emitted);
  /** Whoever works says so in `replica`, and takes that back when it goes. */
  const strayLeases = (): Promise<object[]> =>
    queryOnce(
      harness.database.url,
      `SELECT lane_id FROM lane WHERE owner IS NOT NULL AND owner NOT IN (SELECT replica_id FROM replica)`,
    );
  const stopInTime = async (daemon: RunningProcess): Promise<void> => {
    // 1 where the grace has not been enough.
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    expect(await strayLeases()).toEqual([]);
  };

  const setFaults = async (method: 'GET' | 'PUT' | 'DELETE', rules?: readonly object[]): Promise<FaultsAnswer> => {
    const body = rules !== undefined && { body: JSON.stringify({ rules }) };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${harness.sandboxUrl}/__faults`, {
      method,
      ...(body !== false && { headers, ...body }),
    });
    return (await answer.json()) as FaultsAnswer;
  };

  it('drain one after the other under load: nothing is lost, done twice or out of order, and no lease is left', async () => {
    const members = Array.from({ length: memberCount }, (_, index) => `d-${index}`);
    const rounds = Array.from({ length: purchasesPerMember }, (_, index) =>
      members.map((memberId) => purchased(memberId, `${memberId}-${index}`)),
    );
    const start = (): Promise<RunningProcess> => harness.startDaemon({ SHUTDOWN_GRACE_MS: String(graceMs) });
    const [one, two] = await Promise.all([start(), start()]);
    await emit([...members.map(enrolled), ...rounds.slice(0, 3).flat()]);
    await moreEffects(stopAfterEffects);
    const [three] = await Promise.all([start(), stopInTime(one)]);
    await emit(rounds.slice(3).flat());
    await moreEffects(stopAfterEffects);
    await stopInTime(two);
    await moreEffects(stopAfterEffects);
    await stopInTime(three);
    expect((await readProgress(harness.database.url)).moving).toBeGreaterThan(0);
    expect(await queryOnce(harness.database.url, 'SELECT FROM lane WHERE owner IS NOT NULL OR attempt_open')).toEqual(
      [],
    );

    await harness.writePrograms(programsFile);
    const four = await start();
    await atRest();
    const standings = await readIntentStatuses(harness.database.url);
    expect(standings.filter((row) => row.lastEvent !== 'AttemptApplied')).toEqual([]);
    expect(await readLedger(harness.sandboxUrl)).toHaveLength(emitted);
    const { violations, exposures, figures, retailer } = await judgeHarness(harness);
    expect([violations, exposures]).toEqual([[], {}]);
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: emitted } });
    expect(figures).toMatchObject({ intents: emitted, effects: emitted, unknowns: 0 });
    await stopInTime(four);
  });

  it('regression: begin nothing new while a reconciliation waits for a page, and do not wait for it', async () => {
    await harness.writePrograms(slow);
    await setFaults('PUT', [{ operation: 'list', kind: 'latency', probability: 1, ms: 2 * graceMs }]);
    const daemon = await harness.startDaemon({ SHUTDOWN_GRACE_MS: String(graceMs), OPS_TOKENS: apiTokens });
    const reconciliation = { id: 'slow', program: 'coffee-club', reason: 'the monthly look', repair: false };
    await new ApiClient(daemon, 'operator').post('/jobs', { kind: 'reconcile', ...reconciliation });
    const isAsked = async (): Promise<boolean> => (await setFaults('GET')).rules[0]?.struck === 1;
    await waitUntil(isAsked, { what: 'the first page to be asked for', timeoutMs: 60_000 });
    const sales = Array.from({ length: 1_200 }, (_, index) => purchased(`d-${index % memberCount}`, `page-${index}`));
    await emit(sales);
    await moreEffects(stopAfterEffects);
    // The page comes when the grace has long been over.
    await stopInTime(daemon);
    expect((await readProgress(harness.database.url)).moving).toBeGreaterThan(0);
    expect(await queryOnce(harness.database.url, 'SELECT FROM lane WHERE owner IS NOT NULL OR attempt_open')).toEqual(
      [],
    );
    const [, drainingAt = ''] = /"time":"([^"]+)"[^\n]*"draining"/.exec(daemon.stderr()) ?? [];
    const begunLate = `SELECT FROM intent_history WHERE type = 'AttemptBegun' AND at > '${drainingAt}'`;
    expect((await queryOnce(harness.database.url, begunLate)).length).toBeLessThanOrEqual(underWayMax);

    await setFaults('DELETE');
    await harness.writePrograms(programsFile);
    const next = await harness.startDaemon({ SHUTDOWN_GRACE_MS: String(graceMs) });
    await atRest();
    expect(await queryOnce(harness.database.url, `SELECT FROM intent_history WHERE type = 'AttemptUnknown'`)).toEqual(
      [],
    );
    expect(await readLedger(harness.sandboxUrl)).toHaveLength(emitted);
    await stopInTime(next);
  });

  it('that cannot drain in time exit 1, as at a second signal at once; only calls under way are in doubt', async () => {
    await harness.writePrograms(slow);
    const rules = [{ operation: 'transaction', kind: 'latency', probability: 1, ms: answerMs }];
    await setFaults('PUT', rules);
    const start = (grace: string): Promise<RunningProcess> =>
      harness.startDaemon({ SHUTDOWN_GRACE_MS: grace, WALLET_TIMEOUT_MS: String(answerMs + 1_000) });
    const before = emitted;
    const openAttempts = async (): Promise<number> =>
      (await queryOnce(harness.database.url, 'SELECT FROM lane WHERE attempt_open')).length;
    /** One at a time: of two, one might hold all that is open. */
    const busy = async (grace: string, from: number): Promise<RunningProcess> => {
      const openBefore = await openAttempts();
      const daemon = await start(grace);
      await emit(Array.from({ length: 30 }, (_, index) => purchased(`d-${from + index}`, `slow-${from + index}`)));
      const isCalling = async (): Promise<boolean> => (await openAttempts()) > openBefore;
      await waitUntil(isCalling, { what: 'calls under way', timeoutMs: 60_000 });
      return daemon;
    };
    const hurried = await busy('300', 0);
    const calling = await openAttempts();
    expect(await hurried.stop()).toEqual({ code: 1, signal: null });
    // Not even the first call has been answered.
    expect(await openAttempts()).toBeGreaterThanOrEqual(calling);
    expect(hurried.stderr()).toContain('not drained in time');
    const patient = await busy('60000', 30);
    patient.kill('SIGTERM');
    await waitUntil(() => patient.stderr().includes('"draining"'), { what: 'the drain', timeoutMs: 60_000 });
    patient.kill('SIGTERM');
    expect(await patient.exited).toEqual({ code: 1, signal: null });
    expect(await openAttempts()).toBeGreaterThan(0);
    // Nobody listens any more; each call that has arrived takes effect all the same.
    const underWay = (await setFaults('GET')).rules[0]?.struck ?? 0;
    await awaitEffects(harness.sandboxUrl, before + underWay);
    await setFaults('DELETE');
    await endLeases(harness.database.url);
    await harness.writePrograms(programsFile);
    await harness.startDaemon();
    await atRest();
    const standings = await readIntentStatuses(harness.database.url);
    const settled = ['AttemptApplied', 'VerifiedApplied'];
    expect(standings.filter(({ lastEvent }) => !settled.includes(lastEvent ?? ''))).toEqual([]);
    expect(await readLedger(harness.sandboxUrl)).toHaveLength(emitted);
    const { violations } = await judgeHarness(harness);
    expect(violations).toEqual([]);
  });
});

describe('a daemon that must not start', () => {
  it('names every wrong variable, what it would send unencrypted to another machine too, and exits 2', async () => {
    const wrong = {
      WALLET_BASE_URL: 'http://example.org/brands',
      DATABASE_POOL_SIZE: 'many',
      LOYALTYD_ENCRYPTION_KEY: 'short',
      KAFKA_BROKERS: 'kafka.example:9092',
      DATABASE_URL: 'postgres://loyaltyd:hunter2@db.example/loyaltyd',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel.example:4318',
      ALLOW_CLEARTEXT: '',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    const error = await harness.startDaemon(wrong).catch(String);
    expect(error).toContain('ended with 2');
    for (const name of Object.keys(wrong)) if (name !== 'ALLOW_CLEARTEXT') expect(error).toContain(name);
  });

  it('names the path of a wrong setting in the programs file and exits 2', async () => {
    await expect(harness.startDaemon({ LOYALTYD_PROGRAMS: '/nonexistent.yaml' })).rejects.toThrow(
      /ended with 2[^]*nonexistent/,
    );
  });
});

it('a daemon says at its start what it was allowed to send unencrypted', async () => {
  const otel = 'http://otel.invalid:4318';
  const daemon = await harness.startDaemon({
    OTEL_EXPORTER_OTLP_ENDPOINT: otel,
    ALLOW_CLEARTEXT: 'postgres,kafka,otlp',
  });
  await daemon.stop();
  const lines = daemon.stderr().split('\n');
  const told = lines.filter((line) => line.includes('not everything leaves this machine encrypted'));
  expect(told).toEqual([expect.stringContaining(JSON.stringify({ cleartext: { otlp: otel } }).slice(1, -1))]);
});
