import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { AuditPage, ExportLine, ExportLinesPage, JobView, MemberView, QuarantinePage } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { itUnless, kafkaClient, missingCommands, queryOnce } from '#test-support';

import { codeBlocks, readPage } from '../docs/markdown.js';
import { ApiClient, apiTokens, tokenOf } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { enrolled, produce, purchased } from './traffic.js';

/** More lines than a page of an export. */
const memberCount = 250;
const purchasesPerMember = 3;
const intentCount = memberCount * (1 + purchasesPerMember);
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
const patient = { timeoutMs: 180_000, intervalMs: 100 };
const reason = 'asked by letter';
const run = promisify(execFile);

const shell = codeBlocks(readPage('docs/operations/export.md'), 'sh');
const download = shell.find((block) => block.includes('x-next-cursor')) ?? '';
const check = shell.find((block) => block.includes('hashlib')) ?? '';
const itWithTools = itUnless(missingCommands('curl', 'python3'));

describe('exports and erasures', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let viewer: ApiClient;
  let operator: ApiClient;
  let admin: ApiClient;

  beforeAll(async () => {
    harness = await openHarness();
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    viewer = new ApiClient(daemon, 'viewer');
    operator = new ApiClient(daemon, 'operator');
    admin = new ApiClient(daemon, 'admin');
    // First, so that what is personal is in the first page of an export, which goes by the time of recording.
    await produce(harness.broker, harness.topics, members.map(enrolled));
    await waitUntil(async () => (await deliveredCount()) === members.length, { what: 'the enrolments', ...patient });
    await produce(harness.broker, harness.topics, [
      ...members.flatMap((memberId) =>
        Array.from({ length: purchasesPerMember }, (_, index) => purchased(memberId, `${memberId}-p${index}`)),
      ),
    ]);
    await waitUntil(async () => (await deliveredCount()) === intentCount, { what: 'all to be delivered', ...patient });
  });

  afterAll(async () => {
    await harness.close();
  });

  async function deliveredCount(): Promise<number> {
    const [row] = await queryOnce<{ count: number }>(
      harness.database.url,
      `SELECT count(*)::int AS count FROM intent_history WHERE type IN ('AttemptApplied', 'VerifiedApplied')`,
    );
    return row?.count ?? 0;
  }

  async function job(path: string): Promise<JobView> {
    return (await viewer.get(path)).body as JobView;
  }

  async function awaitJob(path: string, isThere: (job: JobView) => boolean, what: string): Promise<JobView> {
    const look = async (): Promise<JobView | undefined> => {
      const view = await job(path);
      return isThere(view) ? view : undefined;
    };
    return waitUntil(look, { what, timeoutMs: 60_000, intervalMs: 20 });
  }

  const isDone = ({ state }: JobView): boolean => state === 'done';
  const digestOf = ({ report }: JobView): string => (report as { digest: string }).digest;

  async function make(id: string, change: object = {}): Promise<JobView> {
    expect(await operator.post('/jobs', { kind: 'export', id, reason, ...change })).toMatchObject({ status: 200 });
    return awaitJob(`/jobs/${id}`, isDone, `export ${id}`);
  }

  async function linesOf(id: string, client = viewer): Promise<ExportLine[]> {
    const lines: ExportLine[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await client.get(`/jobs/${id}/lines?limit=2000${cursor}`);
      expect(status).toBe(200);
      const { items, nextCursor } = body as ExportLinesPage;
      lines.push(...items);
      if (nextCursor === null) return lines;
      cursor = `&cursor=${nextCursor}`;
    }
  }

  it('is refused where it may not be, or says nothing', async () => {
    expect(await viewer.post('/jobs', { kind: 'export', reason })).toMatchObject({ status: 403 });
    expect(await operator.post('/jobs', { kind: 'export', reason: ' ' })).toMatchObject({ status: 400 });
    expect(await operator.post('/jobs', { kind: 'export', reason, from: 'yesterday' })).toMatchObject({ status: 400 });
    expect(await operator.post('/jobs', { kind: 'export', reason, includePersonal: true })).toMatchObject({
      status: 403,
    });
    expect((await viewer.get('/jobs/nowhere/lines')).status).toBe(404);
    expect(
      await operator.post('/jobs', { kind: 'erase', program: 'coffee-club', memberId: 'm-1', reason }),
    ).toMatchObject({
      status: 403,
    });
    const nobody = { program: 'coffee-club', memberId: 'nobody', reason };
    expect(await admin.post('/jobs', { kind: 'erase', ...nobody })).toMatchObject({
      status: 404,
      body: { type: 'urn:loyaltyd:problem:no-such-member' },
    });
    const [row] = await queryOnce<{ jobs: number }>(harness.database.url, 'SELECT count(*)::int AS jobs FROM job');
    expect(row).toEqual({ jobs: 0 });
  });

  it('gives every intent and what came of it, the same lines to everybody', async () => {
    const view = await make('all');
    expect(view).toMatchObject({ progress: { intents: intentCount }, lines: (view.report as { lines: number }).lines });
    const lines = await linesOf('all');
    expect(lines.length).toBeGreaterThan(2_000);
    expect(lines).toHaveLength(view.lines);
    const applied = lines.filter((line) => line.kind === 'event' && line.type === 'AttemptApplied');
    expect(applied).toHaveLength(intentCount);
    expect(JSON.stringify(lines)).not.toMatch(/Ada|example\.org/);
    expect(await viewer.get('/jobs/all/lines?cursor=nonsense')).toMatchObject({ status: 400 });
    expect(await viewer.get('/jobs/all/lines?limit=2001')).toMatchObject({ status: 400 });
  });

  itWithTools(
    'is downloaded and checked as the documentation says',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-export-'));
      const { operations } = daemon.ready as unknown as { readonly operations: string };
      const env = { ...process.env, SERVER: operations, TOKEN: tokenOf('viewer'), ID: 'all' };
      try {
        await run('sh', ['-ec', download], { cwd: folder, env });
        const { stdout } = await run('sh', ['-ec', check], { cwd: folder });
        expect(stdout.trim()).toBe(digestOf(await job('/jobs/all')));
        const file = (await readFile(join(folder, 'export.ndjson'), 'utf8')).split('\n').slice(0, -1);
        expect(file).toHaveLength((await job('/jobs/all')).lines);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    60_000,
  );

  it('shows what is personal to an admin alone, and keeps every page that was read', async () => {
    const order = { id: 'open', reason, includePersonal: true, to: new Date(Date.now() + 60_000).toISOString() };
    expect(await admin.post('/jobs', { kind: 'export', ...order })).toMatchObject({ status: 200 });
    await awaitJob('/jobs/open', isDone, 'the export');
    expect(await operator.get('/jobs/open/lines')).toMatchObject({ status: 403 });
    const page = (await admin.get('/jobs/open/lines?limit=2000')).body as ExportLinesPage;
    expect(JSON.stringify(page.items)).toContain('@example.org');
    const audit = (await viewer.get('/audit?action=export.read')).body as AuditPage;
    expect(audit.items).toMatchObject([{ actor: 'admin', detail: { job: 'open', after: null } }]);
    const started = (await viewer.get('/audit?action=export.start')).body as AuditPage;
    expect(started.items[0]).toMatchObject({ actor: 'admin', detail: { job: 'open', includePersonal: true } });
  });

  it('forgets a person: in the lane, in the quarantine, in exports, and says what it cannot reach', async () => {
    const producer = kafkaClient(harness.broker).producer();
    await producer.connect();
    const broken = {
      specversion: '1.0',
      id: 'x',
      data: { program: 'coffee-club', memberId: 'm-7', nickname: 'Countess' },
    };
    const messages = [
      { key: 'm-7', value: JSON.stringify(broken) },
      { key: 'm-7', value: 'Ada Lovelace, the Countess' },
      { key: 'm-8', value: 'Ada Lovelace, the other one' },
    ];
    await producer.send({ topic: harness.topics.members, messages });
    await producer.disconnect();
    const quarantined = async (state = 'open'): Promise<QuarantinePage['items']> =>
      ((await viewer.get(`/quarantine?state=${state}`)).body as QuarantinePage).items;
    const keysOf = async (state: string): Promise<(string | null)[]> => {
      const records = await Promise.all((await quarantined(state)).map(({ id }) => viewer.get(`/quarantine/${id}`)));
      return records.map(({ body }) => (body as { key: string | null }).key);
    };
    await waitUntil(async () => (await quarantined()).length === messages.length, {
      what: 'the quarantine',
      ...patient,
    });
    const order = { id: 'forget', program: 'coffee-club', memberId: 'm-7', reason };
    expect(await admin.post('/jobs', { kind: 'erase', ...order })).toMatchObject({
      status: 200,
      body: { kind: 'erase' },
    });
    const { report } = await awaitJob('/jobs/forget', isDone, 'the erasure');
    expect(report).toMatchObject({
      alreadyErased: false,
      steps: [{ cancelled: 0 }, { intents: 1 + purchasesPerMember }, { looked: 3, erased: 2 }],
    });
    expect(JSON.stringify(report)).toContain(harness.topics.deadLetter);
    const member = (await viewer.get('/members/coffee-club/m-7')).body as MemberView;
    expect(member).toMatchObject({ isErased: true, pass: null });
    const unmasked = JSON.stringify((await admin.post('/members/coffee-club/m-7/unmask', { reason })).body);
    expect(unmasked).not.toMatch(/Ada|example\.org/);
    // Masked, for the record itself does not say that it is its member's.
    expect(await keysOf('open')).toEqual(['•••']);
    expect(await keysOf('discarded')).toEqual([null, null]);
    const audit = (await viewer.get('/audit?action=member.erase')).body as AuditPage;
    expect(audit.items).toMatchObject([
      {
        actor: 'admin',
        reason,
        member: { memberId: expect.stringMatching(/^erased\./) as string },
        detail: { job: 'forget' },
      },
    ]);
    const lines = (await linesOf('open', admin)).filter(({ erased }) => erased);
    const names = lines.map((line) => (line.kind === 'intent' ? line.memberId : line.intent.split('~')[1]));
    expect([...new Set(names)]).toEqual([expect.stringMatching(/^erased\./)]);
    expect(JSON.stringify(lines)).not.toMatch(/Ada|example\.org/);
    expect(await admin.post('/jobs', { kind: 'erase', ...order, id: 'again' })).toMatchObject({ status: 200 });
    expect((await awaitJob('/jobs/again', isDone, 'the second')).report).toMatchObject({ alreadyErased: true });
  });
});
