import type { AuditPage, JobLinesPage, JobView, ProvisionedList, ProvisionedView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { readLedger } from './partner.js';

const reason = 'the partner has no such thing yet';
const soon = { timeoutMs: 60_000 };

/** What the sandbox's default seed has, and what it has not. */
const section = `
provision:
  brands:
    101: { name: Coffee, attributes: { memberId: { id: 501, searchable: true, unique: true }, birthday: { dataType: date } } }
  programs:
    coffee-club:
      transactionTypes:
        31: { attributes: { store: { exists: true }, receipt: { exists: true, unique: true } } }
        33: { name: Plain sale, attributes: { till: string, slip: { unique: true } } }
      templates: { Winter: { passType: GENERIC } }
`;

const additions = `${section.trimEnd()}\n`.replace('Winter:', 'Summer: { passType: GENERIC }, Winter:');

/** Everything that one apply of the section does at the partner. */
const everything = [
  'update-brand Coffee',
  'update-brand-attribute 501',
  'create-brand-attribute birthday',
  'update-transaction-type Plain sale',
  'create-transaction-attribute till',
  'create-transaction-attribute slip',
  'create-template Winter',
];

type Line = Readonly<Record<string, unknown>>;

describe('provisioning the sandbox', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let viewer: ApiClient;
  let operator: ApiClient;

  const start = async (): Promise<void> => {
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens, WALLET_TIMEOUT_MS: '5500' });
    viewer = new ApiClient(daemon, 'viewer');
    operator = new ApiClient(daemon, 'operator');
  };

  beforeAll(async () => {
    harness = await openHarness(`${programsFile}${section}`);
    await start();
  });

  afterAll(async () => {
    await harness.close();
  });

  async function putFault(rule: object | null): Promise<void> {
    const body = JSON.stringify({ seed: 1, rules: rule === null ? [] : [rule] });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${harness.sandboxUrl}/__faults`, { method: 'PUT', headers, body });
    expect(response.status).toBe(200);
  }

  /** Whether the fault has met the call. */
  async function isStruck(): Promise<boolean> {
    const { rules } = (await (await fetch(`${harness.sandboxUrl}/__faults`)).json()) as { rules: { struck: number }[] };
    return rules[0]?.struck === 1;
  }

  /** What took effect at the partner, in order. */
  async function effects(): Promise<string[]> {
    const entries = (await readLedger(harness.sandboxUrl)) as unknown as readonly (Line & { readonly body?: Line })[];
    return entries.map((entry) => {
      const isOfBrandAttribute = entry['operation'] === 'update-brand-attribute';
      return `${String(entry['operation'])} ${String(isOfBrandAttribute ? entry['targetId'] : entry.body?.['name'])}`;
    });
  }

  async function awaitJob(id: string, states: readonly JobView['state'][] = ['done']): Promise<JobView> {
    const look = async (): Promise<JobView | undefined> => {
      const job = (await viewer.get(`/jobs/${id}`)).body as JobView;
      return states.includes(job.state) ? job : undefined;
    };
    return waitUntil(look, { what: `${id} to be ${states.join(' or ')}`, ...soon });
  }

  async function provision(id: string, apply: boolean): Promise<JobView> {
    const request = { id, program: 'coffee-club', apply, reason };
    expect(await operator.post('/jobs', { kind: 'provision', ...request })).toMatchObject({ status: 200 });
    return awaitJob(id);
  }

  async function lines(id: string, kind: string): Promise<Line[]> {
    const { items } = (await viewer.get(`/jobs/${id}/lines?limit=500`)).body as JobLinesPage;
    return items.filter(({ line }) => line === kind);
  }

  async function recorded(name: string): Promise<ProvisionedView> {
    const { items } = (await viewer.get('/provisioned')).body as ProvisionedList;
    const found = items.find((item) => item.name === name);
    if (found === undefined) throw new Error(`nothing is recorded of ${name}`);
    return found;
  }

  async function reload(text: string): Promise<void> {
    const reloads = (): number => daemon.stderr().split('programs file read again').length;
    const before = reloads();
    await harness.writePrograms(text);
    daemon.kill('SIGHUP');
    await waitUntil(() => reloads() > before, { what: 'the reload', ...soon });
  }

  it('plans first, to the letter, and sends nothing', async () => {
    const plan = await provision('plan', false);
    expect(plan).toMatchObject({ state: 'done', report: { apply: false, plan: { update: 3, create: 4 } } });
    expect(await effects()).toEqual([]);
    const steps = await lines('plan', 'step');
    expect(steps.filter(({ action }) => action === 'cannot-be-read').map(({ name }) => name)).toEqual([
      ...['store', 'receipt', '32', '11', '*'],
    ]);
    expect(await lines('plan', 'warning')).toEqual([]);
  });

  it('applies what the plan says, once, however often it is asked for', async () => {
    expect(await provision('first', true)).toMatchObject({ progress: { created: 4, updated: 3, failed: 0 } });
    expect(await effects()).toEqual(everything);
    expect(await provision('second', true)).toMatchObject({ progress: { created: 0, inPlace: 7, failed: 0 } });
    await operator.post('/jobs', { kind: 'provision', id: 'second', program: 'coffee-club', apply: true, reason });
    expect(await effects()).toEqual(everything);
    const planned = (await lines('plan', 'step')).find(({ name }) => name === 'slip');
    expect((await recorded('slip')).evidence).toMatchObject({ request: planned?.['request'], status: 200 });
  });

  it('says of a call whose answer was lost that nobody knows, makes nothing twice, and goes on once resolved', async () => {
    await reload(`${programsFile}${additions}`);
    await putFault({ operation: 'create-template', kind: 'drop-after', sequence: [1] });
    expect(await provision('lost', true)).toMatchObject({ progress: { unknown: 1, inPlace: 7, failed: 1 } });
    await putFault(null);
    expect(await provision('lost-again', true)).toMatchObject({ progress: { unknown: 1, created: 0, failed: 1 } });
    expect((await effects()).filter((effect) => effect.endsWith('Summer'))).toHaveLength(1);

    const { stepId, inDoubt } = await recorded('Summer');
    expect(inDoubt).toBe(true);
    const path = `/provisioned/${stepId}/resolve`;
    expect(await viewer.post(path, { as: 'created', reason })).toMatchObject({ status: 403 });
    expect(await operator.post(path, { as: 'created' })).toMatchObject({ status: 400 });
    expect(await operator.post(path, { as: 'created', partnerId: 12, reason })).toMatchObject({
      status: 200,
      body: { name: 'Summer', state: 'created', partnerId: '12', actor: 'operator', inDoubt: false },
    });
    expect(await operator.post(path, { as: 'created', reason })).toMatchObject({
      status: 409,
      body: { type: 'urn:loyaltyd:problem:step-not-in-doubt' },
    });
    expect(await provision('resolved', true)).toMatchObject({ progress: { inPlace: 8, unknown: 0, failed: 0 } });
    expect((await effects()).filter((effect) => effect.endsWith('Summer'))).toHaveLength(1);
    const { items } = (await viewer.get('/audit?action=provision.resolve')).body as AuditPage;
    expect(items).toMatchObject([
      { actor: 'operator', reason, detail: { step: stepId, as: 'created', name: 'Summer' } },
    ]);
  });

  it('does not send again what a killed daemon was about to send', async () => {
    await reload(`${programsFile}${additions.replace('Summer:', 'Autumn: { passType: GENERIC }, Summer:')}`);
    await putFault({ operation: 'create-template', kind: 'latency', sequence: [1], ms: 4_000 });
    const request = { id: 'killed', program: 'coffee-club', apply: true, reason };
    expect(await operator.post('/jobs', { kind: 'provision', ...request })).toMatchObject({ status: 200 });
    const isBegun = async (): Promise<boolean> => {
      const { items } = (await viewer.get('/provisioned')).body as ProvisionedList;
      return items.some(({ name, state }) => name === 'Autumn' && state === 'begun');
    };
    await waitUntil(isBegun, { what: 'the call to be begun', ...soon });
    await waitUntil(isStruck, { what: 'the partner to have been asked', ...soon });
    daemon.kill('SIGKILL');
    await daemon.exited;
    await start();
    // Somebody who does not want to wait until the lease of the dead one ends.
    await operator.post('/jobs/killed/pause', { reason });
    await operator.post('/jobs/killed/resume', { reason });
    expect(await awaitJob('killed')).toMatchObject({ progress: { unknown: 1, inPlace: 8, failed: 1 } });
    const [doubted] = (await lines('killed', 'result')).filter(({ result }) => result === 'unknown');
    expect(doubted).toMatchObject({ name: 'Autumn', code: 'worker-lost' });
    // The partner carries out what it was asked, although nobody listens any more.
    const isMade = async (): Promise<boolean> => (await effects()).some((effect) => effect.endsWith('Autumn'));
    await waitUntil(isMade, { what: 'the call to take effect', ...soon });
    const path = `/provisioned/${String(doubted?.['stepId'])}/resolve`;
    expect(await operator.post(path, { as: 'created', reason })).toMatchObject({ status: 200 });
    expect(await provision('after-the-kill', true)).toMatchObject({ progress: { failed: 0, unknown: 0 } });
    expect((await effects()).filter((effect) => effect.endsWith('Autumn'))).toHaveLength(1);
  });

  it.each([
    [{ program: 'tea-club', reason }, 422, 'no-such-program'],
    [{ program: 'coffee-club', reason: ' ' }, 400, 'invalid-request'],
    [{ program: 'coffee-club', reason, force: true }, 400, 'invalid-request'],
  ])('refuses %j', async (request, status, code) => {
    expect(await operator.post('/jobs', { kind: 'provision', ...request })).toMatchObject({
      status,
      body: { type: `urn:loyaltyd:problem:${code}` },
    });
  });

  it('refuses whoever may not act, and steps that are none', async () => {
    expect((await viewer.post('/jobs', { kind: 'provision', reason })).status).toBe(403);
    const resolve = (stepId: string) => operator.post(`/provisioned/${stepId}/resolve`, { as: 'created', reason });
    expect(await resolve('nonsense')).toMatchObject({ status: 400 });
    expect(await resolve('00000000-0000-4000-8000-000000000000')).toMatchObject({
      status: 404,
      body: { type: 'urn:loyaltyd:problem:no-such-step' },
    });
  });
});
