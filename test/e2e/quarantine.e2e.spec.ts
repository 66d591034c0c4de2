import type {
  AuditPage,
  JobView,
  QuarantineActionResult,
  QuarantinedDetails,
  QuarantinedView,
  QuarantinePage,
} from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import type { JsonObject, OperatorAct } from '../judge/case.js';
import { ApiClient, apiTokens, settleRecords } from './api-client.js';
import { copyDeadLettersBack } from './dead-letters.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { readLedger } from './partner.js';
import type { Emission } from './traffic.js';
import { emission, enrolled, produce, purchased } from './traffic.js';

/** Somebody has misspelt the program. */
const misspelt = programsFile.replace('coffee-club:', 'cofee-club:');
const members = ['m-1', 'm-2', 'm-3'];
const reason = 'the programs file is mended';
const soon = { timeoutMs: 30_000 };

const sound = purchased('m-3', 'm-3-late');
const garbled: Emission = { ...sound, message: { ...sound.message, value: 'Ada Lovelace, ada@example.org' } };
const total = { minor: 100, currency: 'USD', digits: 2 };
const dollars = emission('purchases', 'purchase.completed', {
  ...{ id: 'usd', memberId: 'm-3', purchaseId: 'usd', channel: 'pos', storeId: 'berlin-07', total, lines: [] },
});
/** Three members with two purchases each, one record that is no event, one that no mending helps. */
const traffic = [
  ...members.map(enrolled),
  ...['a', 'b'].flatMap((which) => members.map((memberId) => purchased(memberId, `${memberId}-${which}`))),
  ...[garbled, dollars],
];

const placeOf = ({ topic, partition, offset }: QuarantinedView): string => `${topic}/${partition}/${offset}`;

describe('a daemon whose programs file is wrong', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let viewer: ApiClient;
  let operator: ApiClient;
  let admin: ApiClient;
  /** What operators put in the place of what arrived. */
  const mended: OperatorAct[] = [];

  beforeAll(async () => {
    harness = await openHarness(misspelt);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens, DEAD_LETTER_VALUE: 'original' });
    [viewer, operator, admin] = (['viewer', 'operator', 'admin'] as const).map(
      (role) => new ApiClient(daemon, role),
    ) as [ApiClient, ApiClient, ApiClient];
    await produce(harness.broker, harness.topics, traffic);
    await awaitOpen(traffic.length);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function list(query = ''): Promise<QuarantinedView[]> {
    const { status, body } = await viewer.get(`/quarantine?${query}`);
    expect(status).toBe(200);
    return (body as QuarantinePage).items;
  }

  async function awaitOpen(count: number): Promise<QuarantinedView[]> {
    const look = async (): Promise<QuarantinedView[] | undefined> => {
      const items = await list();
      return items.length === count ? items : undefined;
    };
    return waitUntil(look, { what: `${count} records in quarantine`, ...soon });
  }

  /** Keys of what the partner has applied for a member, in that order. */
  async function appliedTo(memberId: string): Promise<(string | null)[]> {
    const own = (await readLedger(harness.sandboxUrl)).filter(({ uniqueId }) => uniqueId === memberId);
    return own.map(({ key, operation }) => key ?? operation);
  }

  async function awaitApplied(memberId: string, keys: readonly string[]): Promise<void> {
    const look = async (): Promise<true | undefined> => (await appliedTo(memberId)).length >= keys.length || undefined;
    await waitUntil(look, { what: `${keys.length} effects for ${memberId}`, ...soon });
    expect(await appliedTo(memberId)).toEqual(keys);
  }

  /** What came of many, and what was said of them before. */
  async function many(kind: 'resubmit' | 'discard', query: object): Promise<NonNullable<JobView['selection']>> {
    const { selection } = await settleRecords(operator, { kind, query, reason });
    if (selection === null) throw new Error('the job is of nothing');
    return selection;
  }

  it('leaves everything as it is for who may not, says nothing, or asks for what cannot be', async () => {
    const [record] = await list('reason=unknown-program');
    const path = `/quarantine/${record!.id}`;
    const said = { reason };
    const problem = (code: string): object => ({ body: { type: `urn:loyaltyd:problem:${code}` } });
    expect(await viewer.post(`${path}/resubmit`, said)).toMatchObject({ status: 403, ...problem('role') });
    const ofMany = { kind: 'resubmit', ...said };
    expect(await viewer.post('/jobs', { ...ofMany, query: {} })).toMatchObject({ status: 403 });
    expect(await operator.post(`${path}/discard`, {})).toMatchObject({ status: 400, ...problem('invalid-request') });
    for (const body of [{ reason: 'with \u0000' }, { ...said, corrected: {} }, { ...said, corrected: { value: '' } }]) {
      expect(await operator.post(`${path}/resubmit`, body)).toMatchObject({ status: 400 });
    }
    expect(await viewer.get('/quarantine?detail=%00')).toMatchObject({ status: 400 });
    expect(await viewer.get('/quarantine?state=lost')).toMatchObject({ status: 400 });
    expect(await operator.post(`${path}/discard`, { ...said, corrected: {} })).toMatchObject({ status: 400 });
    for (const body of [ofMany, { ...ofMany, query: { colour: 'red' } }, { ...ofMany, query: {}, cursor: 'x' }]) {
      expect(await operator.post('/jobs', body)).toMatchObject({ status: 400 });
    }
    expect(await operator.post('/quarantine/999999/resubmit', said)).toMatchObject({
      ...{ status: 404, ...problem('no-such-record') },
    });
    expect(await operator.post(`${path}/resubmit`, said)).toMatchObject({
      status: 422,
      body: {
        type: 'urn:loyaltyd:problem:still-refused',
        detail: expect.stringContaining('unknown-program: data.program') as string,
      },
    });
    expect(((await viewer.get('/audit')).body as AuditPage).items).toEqual([]);
    expect((await many('resubmit', { reason: 'unreadable' })).byState).toEqual({ refused: 1 });
    expect(await list()).toHaveLength(traffic.length);
    const { items } = (await viewer.get('/audit')).body as AuditPage;
    expect(items.map(({ action }) => action)).toEqual(['resubmit.start', 'resubmit.plan']);
  });

  it('takes in what was set aside once it is mended, for the faster of two operators', async () => {
    await harness.writePrograms(programsFile);
    daemon.kill('SIGHUP');
    await waitUntil(() => daemon.stderr().includes('programs file read again') || undefined, {
      what: 'the mended programs file',
      ...soon,
    });
    const oldest = (await list()).at(-1)!;
    const answers = await Promise.all(
      [operator, admin].map((who) => who.post(`/quarantine/${oldest.id}/resubmit`, { reason })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const taken = answers.find(({ status }) => status === 200)!.body as QuarantineActionResult;
    expect(taken).toMatchObject({ id: oldest.id, result: 'recorded', reason: null });
    const late = answers.find(({ status }) => status === 409)!.body as {
      readonly type: string;
      readonly detail: string;
    };
    expect(late.type).toBe('urn:loyaltyd:problem:already-resubmitted');
    expect(late.detail).toMatch(/^It was resubmitted by (operator|admin) at .*: the programs file is mended$/);
    const [settled] = await list('state=resubmitted');
    expect(settled).toMatchObject({ id: oldest.id, settled: { why: reason, intent: taken.intent } });
    const cause = { topic: oldest.topic, partition: oldest.partition, offset: oldest.offset };
    expect(await viewer.get(`/intents/${taken.intent ?? ''}`)).toMatchObject({ status: 200, body: { cause } });
  });

  it('takes in the rest as one job, each member in order, and has said before what stays refused', async () => {
    const query = { reason: 'unknown-program' };
    const { byForecast, byState, refusedBy } = await many('resubmit', query);
    expect(byForecast).toEqual({ 'will-be-taken': 8, 'refused-again': 1 });
    expect(refusedBy).toEqual([{ rule: expect.stringContaining('unroutable: ') as string, records: 1 }]);
    expect(byState).toEqual({ done: 8, refused: 1 });
    for (const memberId of members) {
      await awaitApplied(memberId, ['issue', `${memberId}-a`, `${memberId}-b`]);
    }
    expect((await many('resubmit', query)).byState).toEqual({ refused: 1 });
  });

  it('takes in what was no event as what it should have been, and keeps both', async () => {
    const [record] = await list('reason=unreadable');
    const value = JSON.parse(String(sound.message.value)) as JsonObject;
    mended.push({ act: 'resubmit', place: placeOf(record!), corrected: { value } });
    const path = `/quarantine/${record!.id}`;
    expect(await operator.post(`${path}/resubmit`, { reason, corrected: { value } })).toMatchObject({
      ...{ status: 403, body: { type: 'urn:loyaltyd:problem:needs-admin' } },
    });
    const { status, body } = await admin.post(`${path}/resubmit`, { reason, corrected: { value } });
    expect([status, body]).toMatchObject([200, { result: 'recorded', intent: 'coffee-club~m-3~4' }]);
    await awaitApplied('m-3', ['issue', 'm-3-a', 'm-3-b', 'm-3-late']);
    const details = (await viewer.get(path)).body as QuarantinedDetails;
    expect(details).toMatchObject({
      ...{ state: 'resubmitted', encoding: 'masked', settled: { by: 'admin', intent: 'coffee-club~m-3~4' } },
      corrected: { encoding: 'text', changes: [{ path: 'value', change: 'changed', from: '•••' }] },
    });
    expect(details.corrected?.value).toContain('m-3-late');
    expect(JSON.stringify(details)).not.toMatch(/Lovelace|example\.org/);
    await produce(harness.broker, harness.topics, [sound]);
    await awaitCounted(harness.topics.purchases, 'duplicate-event', 1);
  });

  it('gives up what nobody can use, once', async () => {
    const [record] = await list();
    expect(record).toMatchObject({ reason: 'unknown-program', state: 'open', settled: null });
    const path = `/quarantine/${record!.id}`;
    expect(await operator.post(`${path}/discard`, { reason: 'a test sale' })).toMatchObject({
      ...{ status: 200, body: { result: 'discarded', intent: null } },
    });
    expect(await admin.post(`${path}/resubmit`, { reason })).toMatchObject({
      status: 409,
      body: { type: 'urn:loyaltyd:problem:already-discarded', detail: expect.stringContaining('operator') as string },
    });
    expect(await list()).toEqual([]);
    expect(await list('state=discarded&topic=elsewhere')).toEqual([]);
    expect(await list(`state=discarded&topic=${harness.topics.purchases}&detail=program`)).toMatchObject([
      { id: record!.id, settled: { by: 'operator', why: 'a test sale', result: 'discarded' } },
    ]);
    expect((await viewer.get(path)).body).toMatchObject({ isReadable: true, corrected: null });
  });

  it('does nothing twice when somebody copies the dead letters back into their topics as well', async () => {
    const before = await readLedger(harness.sandboxUrl);
    await copyDeadLettersBack(harness, traffic.length);
    await awaitCounted(harness.topics.members, 'duplicate-event', members.length);
    await awaitCounted(harness.topics.purchases, 'duplicate-event', 1 + 2 * members.length);
    const again = await awaitOpen(2);
    expect(again.map((record) => record.reason).toSorted()).toEqual(['unreadable', 'unroutable']);
    expect(await readLedger(harness.sandboxUrl)).toEqual(before);
    expect((await many('discard', {})).byState).toEqual({ done: 2 });
  });

  it('knows who did all this, and why', async () => {
    const { items } = (await viewer.get('/audit?limit=100')).body as AuditPage;
    const actions = items.map(({ action }) => action);
    expect(actions.filter((action) => action === 'quarantine.resubmit')).toHaveLength(traffic.length - 1);
    expect(actions.filter((action) => action === 'quarantine.discard')).toHaveLength(3);
    expect(items.find(({ detail }) => detail?.['corrected'] === true)).toMatchObject({
      ...{ actor: 'admin', reason, intent: 'coffee-club~m-3~4', address: '127.0.0.1' },
      detail: {
        quarantine: expect.any(Number) as number,
        result: 'recorded',
        privileged: expect.any(Array) as string[],
      },
    });
    expect(daemon.stderr()).not.toMatch(/Lovelace|example\.org/);
  });

  it('has kept every promise on the way', async () => {
    const known = { operators: mended, hasReloaded: true };
    const { violations, figures, retailer } = await judgeHarness(harness, { known });
    expect(violations).toEqual([]);
    const records = 2 * traffic.length + 1;
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records } });
    expect(figures.delivered).toBe(3 * members.length + 1);
  });

  async function awaitCounted(topic: string, result: string, count: number): Promise<void> {
    const { operations } = daemon.ready as unknown as { readonly operations: string };
    const line = `loyaltyd_events_ingested_total{topic="${topic}",result="${result}"} ${count}`;
    const look = async (): Promise<true | undefined> =>
      (await (await fetch(`${operations}/metrics`)).text()).includes(line) || undefined;
    await waitUntil(look, { what: line, ...soon });
  }
});
