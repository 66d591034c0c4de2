import { execFile } from 'node:child_process';

import type { AuditPage, IntentPage, JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { programCommand, queryOnce } from '#test-support';

import { ApiClient, apiTokens, awaitJob, tokenOf } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { readLedger } from './partner.js';
import { emission, enrolled, produce } from './traffic.js';

const programs = `${programsFile}    dialect: { schedule: { changeProperty: update } }\n`;
const reason = 'gold weeks';
const gold = { tier: 2 };
/** Far enough that a slow machine has asked the partner by then. */
const soon = (): string => new Date(Date.now() + 10_000).toISOString();

describe('a change of passes at a chosen time', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(programs);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
    const golden = emission('members', 'member.enrolled', { id: 'e-g', memberId: 'm-gold', tier: 'gold' });
    await produce(harness.broker, harness.topics, [...['m-1', 'm-2'].map(enrolled), golden]);
    await waitUntil(
      async () => ((await operator.get('/intents?status=delivered')).body as IntentPage).items.length === 3,
      { what: 'three passes', timeoutMs: 30_000 },
    );
  });

  afterAll(async () => {
    await harness.close();
  });

  const order = (more: object): object => ({
    kind: 'schedule',
    program: 'coffee-club',
    reason,
    at: '2099-01-01T00:00:00Z',
    select: gold,
    ...more,
  });

  async function job(more: object): Promise<JobView> {
    const { status, body } = await operator.post('/jobs', order(more));
    expect(status).toBe(200);
    return done((body as JobView).id);
  }

  const done = (id: string): Promise<JobView> => awaitJob(operator, id, ({ state }) => state === 'done');

  const operations = async (): Promise<string[]> =>
    (await readLedger(harness.sandboxUrl)).map(({ operation }) => operation).filter((name) => name !== 'issue');

  async function faults(rules: readonly object[]): Promise<void> {
    const answer = await fetch(`${harness.sandboxUrl}/__faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seed: 1, rules }),
    });
    expect(answer.status).toBe(200);
  }

  it('is counted and shown by a dry run, and not made', async () => {
    const { state, report } = await job({ dryRun: true, change: { points: 7 } });
    expect(state).toBe('done');
    expect(report).toMatchObject({ dryRun: true, selected: 1, request: { method: 'PATCH' } });
    expect(await operations()).toEqual([]);
  });

  it('is made once by the command line, shows on the passes that fit, and is kept with who asked and why', async () => {
    const { operations: server } = daemon.ready as unknown as { readonly operations: string };
    const env = { ...process.env, LOYALTYD_SERVER: server, LOYALTYD_TOKEN: tokenOf('operator') };
    const flags = ['--tier', '2', '--at', soon(), '--set-points', '7', '--name', 'gold weeks', '--reason', reason];
    const words = ['schedule', '--program', 'coffee-club', ...flags, '-o', 'json'];
    const { command, args, cwd } = programCommand('apps/cli/src/main.ts', ...words);
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(command, [...args], { cwd, env }, (error, out) =>
        error === null ? resolve(out) : reject(new Error('the command failed', { cause: error })),
      );
    });
    expect(JSON.parse(stdout)).toMatchObject({ result: 'scheduled', selected: 1 });
    await waitUntil(async () => (await operations()).includes('scheduled-change'), {
      what: 'the change',
      timeoutMs: 60_000,
    });
    expect(await operations()).toEqual(['schedule-update', 'scheduled-change']);
    const points = await queryOnce<{ points: string }>(
      harness.sandboxDatabaseUrl,
      `SELECT passdata->>'points' AS points FROM wallet_sandbox.pass WHERE template_tier_id = 2`,
    );
    expect(points).toEqual([{ points: '7' }]);
    const { body } = await operator.get('/audit?action=schedule.start');
    expect((body as AuditPage).items[0]).toMatchObject({ actor: 'operator', reason });
  });

  it('that the partner refuses, or whose answer is lost, is told as such, and never made again', async () => {
    const before = (await operations()).length;
    await faults([{ operation: 'schedule-update', kind: 'drop-after', sequence: [1] }]);
    const lost = await job({ change: { points: 8 } });
    expect(lost).toMatchObject({ state: 'done', report: { result: 'unknown', code: 'reset', selected: 1 } });
    expect((await operations()).slice(before)).toEqual(['schedule-update']);
    await faults([]);
    const refused = await job({ change: { tier: 99 } });
    expect(refused).toMatchObject({ report: { result: 'refused', code: 'refused' }, progress: { failed: 1 } });
  });

  it('that a process was killed over is in doubt, and not made again', async () => {
    const before = await operations();
    const id = 'killed-over';
    const pause = { program: 'coffee-club', reason };
    expect((await operator.post('/pauses', pause)).status).toBe(200);
    expect((await operator.post('/jobs', order({ id, change: { points: 9 } }))).status).toBe(200);
    // As the process leaves it that dies right after the call was begun.
    await queryOnce(
      harness.database.url,
      `UPDATE job SET cursor = '{"selected":1,"troubles":{"count":0,"lastDelayMs":0},"begunAt":1}', state = 'waiting',
         owner = NULL, leased_until = NULL, due_at = NULL, report = NULL, finished_at = NULL WHERE job_id = '${id}'`,
    );
    expect((await done(id)).report).toMatchObject({ result: 'unknown', code: 'interrupted' });
    expect((await operator.delete('/pauses', pause)).status).toBe(200);
    expect(await operations()).toEqual(before);
  });

  it.each([
    ['lies in the past', { at: '2020-01-01T00:00:00Z' }],
    ['lies in the past of its zone', { at: { dateTime: '2020-01-01T00:00:00', timeZone: 'Europe/Berlin' } }],
    ['is of no zone', { at: { dateTime: '2099-01-01T00:00:00', timeZone: 'Europe/Berlinn' } }],
    ['is of an offset for a zone', { at: { dateTime: '2099-01-01T00:00:00', timeZone: '+01:00' } }],
    ['is of an hour that does not exist', { at: { dateTime: '2027-03-28T02:30:00', timeZone: 'Europe/Berlin' } }],
    ['is of an hour that comes twice', { at: { dateTime: '2027-10-31T02:30:00', timeZone: 'Europe/Berlin' } }],
    ['is of a day that does not exist', { at: { dateTime: '2099-02-30T00:00:00', timeZone: 'Europe/Berlin' } }],
    ['selects nothing', { select: {} }],
    ['changes nothing', { change: {} }],
    ['has no time', { at: undefined }],
    ['is local without a zone', { at: { dateTime: '2099-01-01T00:00:00' } }],
    ['has no reason', { reason: undefined }],
    ['would keep a text to one person', { select: { memberId: 'm-1' }, change: { message: 'Dear Ada' } }],
  ])('is refused where it %s', async (_what, more) => {
    expect((await operator.post('/jobs', order(more))).status).toBe(400);
  });

  it('takes a local time with its zone, for one member, without a change', async () => {
    const at = { dateTime: '2099-01-01T09:00:00', timeZone: 'Europe/Berlin' };
    const { report } = await job({ at, select: { memberId: 'm-1' }, dryRun: true });
    expect(report).toMatchObject({ selected: 1, at: '2099-01-01T08:00:00.000Z' });
    const { request } = report as { readonly request: { readonly body: string } };
    expect(JSON.parse(request.body)).toMatchObject({
      scheduledDateTime: at.dateTime,
      timeZone: at.timeZone,
      filters: { unique_id: 'm-1' },
    });
  });
});
