import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';

import type { IntentPage, JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { compileLoyaltyd, Loyaltyd } from './loyaltyd.js';
import {
  atPartner,
  brokenTill,
  doubtfulCount,
  granting,
  hollow,
  manyMembers,
  manyPrograms,
  numbered,
  sold,
  tillMembers,
} from './many-incident.js';
import { breakPartner } from './partner.js';
import { enrolled, produce } from './traffic.js';

const { wrong, doubtful } = manyMembers;
const soon = { timeoutMs: 240_000 };
const decisionsMax = 5;
const tillDecisionsMax = 4;

describe('many at once, by the command line', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: Loyaltyd;
  let admin: Loyaltyd;
  let folder = '';
  let decisions = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'many-at-once-'));
    harness = await openHarness(manyPrograms);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    await compileLoyaltyd();
    operator = new Loyaltyd(daemon, 'operator');
    admin = new Loyaltyd(daemon, 'admin');
    await produce(harness.broker, harness.topics, [...wrong, ...doubtful].map(enrolled));
    await awaitCount('status=delivered&operation=issue', wrong.length + doubtful.length);
  }, 300_000);

  beforeEach(() => {
    decisions = 0;
  });

  afterAll(async () => {
    await harness.close();
  });

  async function awaitCount(search: string, count: number): Promise<void> {
    const api = new ApiClient(daemon, 'viewer');
    const isThere = async (): Promise<boolean> => {
      const counted = (await api.get(`/intents/count?${search}`)).body as { readonly count: number };
      return counted.count === count;
    };
    await waitUntil(isThere, { what: `${count} of ${search}`, ...soon });
  }

  /** A command that somebody has to think about. */
  async function decide(who: Loyaltyd, ...words: readonly string[]): ReturnType<Loyaltyd['run']> {
    decisions += 1;
    return who.run(...words, '--reason', 'the till was mended');
  }

  const posted = async (operation: string): Promise<string[]> => atPartner(harness.sandboxUrl, operation);

  it('data that is wrong in 420 is corrected and sent by one look and one word, and each is at the partner once', async () => {
    await produce(harness.broker, harness.topics, wrong.map(numbered));
    await awaitCount('status=parked&operation=transaction', wrong.length);
    const words = ['correct', 'intents', '-q', 'reason=rejected store=lisboa-colombo', '--as-text'];
    const mend = [...words, 'attributes.campaign', '--replay', '--rate', '1000/s', '--id', 'mended'];
    const looked = await decide(operator, ...mend, '--dry-run');
    expect(looked).toMatchObject({ code: 0 });
    expect(looked.stdout).toMatch(/^At stake: +EUR 5,250\.00$/m);
    expect(looked.stdout).toMatch(/^Items: +420$/m);
    expect(looked.stdout).toMatch(/^Forecast: +420 will-change$/m);
    expect(looked.stdout).toContain('would be sent as:');
    expect(await posted('transaction')).toEqual([]);
    const done = await decide(operator, ...mend, '--yes', '-o', 'json');
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({
      ...{ state: 'done', selection: { byState: { delivered: wrong.length } } },
    });
    expect(await posted('transaction')).toEqual(wrong.toSorted());
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
  });

  it('of 311 in doubt those that the partner has are settled by its list, those that it has not are sent by a step of their own', async () => {
    const [had, hadNot] = [doubtful.slice(0, 200), doubtful.slice(200)];
    await breakPartner(harness.sandboxUrl, [hollow(true)]);
    const since = new Date(Date.now() - 60_000).toISOString();
    await produce(harness.broker, harness.topics, had.map(granting));
    await awaitCount('status=parked&reason=unknown-outcome', had.length);
    await breakPartner(harness.sandboxUrl, [hollow(false)]);
    await produce(harness.broker, harness.topics, hadNot.map(granting));
    await awaitCount('status=parked&reason=unknown-outcome', doubtfulCount);
    await breakPartner(harness.sandboxUrl, []);
    // Somebody whom we know the partner to have served bears its list out.
    const [served = ''] = wrong;
    await produce(harness.broker, harness.topics, [granting(served)]);
    await awaitCount('status=delivered&operation=reward', 1);
    const told = await operator.run('doubts', '-q', 'program=coffee-club operation=reward');
    expect(told.stdout.split('\n')[0]).toBe('intent,member,operation,type,receipt,reward,amount,currency,sentAt');
    expect(told.stdout.trimEnd().split('\n')).toHaveLength(doubtful.length + 1);
    const rows = (await posted('reward')).map((member) => `${member},9001`);
    expect(rows).toHaveLength(had.length + 1);
    const list = join(folder, 'partner.csv');
    await writeFile(list, `member,reward\n${rows.join('\n')}\n`);
    const settle = ['settle', 'intents', '-q', 'program=coffee-club', '--list', list];
    const until = new Date().toISOString();
    // What was sent must be too old to take effect any more by the end of the list's time.
    const whole = ['--complete-from', since, '--complete-to', until, '--types', '9001'];
    const plan = await waitUntil(
      async () => {
        const looked = await admin.run(
          ...settle,
          ...whole.with(3, new Date().toISOString()),
          '--dry-run',
          '-o',
          'json',
          '--reason',
          'a look',
        );
        const { selection } = JSON.parse(looked.stdout) as JobView;
        return selection?.byForecast['not-listed'] === hadNot.length ? selection : undefined;
      },
      { what: 'the partner to be past what it may still do', ...soon },
    );
    expect(plan.byForecast).toEqual({ listed: had.length, 'not-listed': hadNot.length });
    const done = await decide(admin, ...settle, ...whole.with(3, new Date().toISOString()), '--yes', '-o', 'json');
    expect(JSON.parse(done.stdout)).toMatchObject({ state: 'done', selection: { byState: { done: doubtful.length } } });
    await awaitCount('status=parked&reason=not-delivered', hadNot.length);
    expect(await posted('reward')).toHaveLength(had.length + 1);
    const replayed = await decide(
      operator,
      'replay',
      'intents',
      '-q',
      'reason=not-delivered',
      '--rate',
      '1000/s',
      '--yes',
    );
    expect(replayed).toMatchObject({ code: 0 });
    expect(await posted('reward')).toEqual([...doubtful, served].toSorted());
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
  });

  it('of 600 the 30 that one till has sent wrong are corrected and taken in by one look and one word', async () => {
    const { sound, broken } = tillMembers;
    const members = [...sound, ...broken];
    await produce(harness.broker, harness.topics, members.map(enrolled));
    await produce(
      harness.broker,
      harness.topics,
      members.map((memberId) => sold(memberId, broken.includes(memberId) ? brokenTill : undefined)),
    );
    await awaitCount('status=delivered&operation=transaction&store=graz', sound.length);
    const api = new ApiClient(daemon, 'viewer');
    const isAside = async (): Promise<boolean> => {
      const { body } = await api.get(`/quarantine/count?source=${encodeURIComponent(brokenTill)}`);
      return (body as { readonly count: number }).count === broken.length;
    };
    await waitUntil(isAside, { what: 'the records of the till', ...soon });
    const mend = [
      'resubmit',
      'quarantine',
      '-q',
      `source=${brokenTill}`,
      '--as-number',
      'data.total.minor',
      '--id',
      'till',
    ];
    const looked = await decide(admin, ...mend, '--dry-run');
    expect(looked).toMatchObject({ code: 0 });
    expect(looked.stdout).toMatch(/^Items: +30$/m);
    expect(looked.stdout).toMatch(/^Forecast: +30 will-be-taken$/m);
    expect(looked.stdout).toMatch(/value\.data\.total\.minor: "text\(4\) •••" -> 1250/);
    const done = await decide(admin, ...mend, '--yes', '-o', 'json');
    expect(JSON.parse(done.stdout)).toMatchObject({ state: 'done', selection: { byState: { done: broken.length } } });
    await awaitCount('status=delivered&operation=transaction&store=graz', members.length);
    const atTheirs = (await posted('transaction')).filter((memberId) => broken.includes(memberId));
    expect(atTheirs).toEqual(broken.toSorted());
    expect(decisions).toBeLessThanOrEqual(tillDecisionsMax);
  });

  it('nothing is done without the count that was planned, nor without a word', async () => {
    const api = new ApiClient(daemon, 'operator');
    const { items } = (await api.get('/intents?status=delivered&limit=1')).body as IntentPage;
    expect(items).toHaveLength(1);
    const silent = await operator.run('cancel', 'intents', '-q', 'reason=rejected', '--reason', 'none of them');
    expect(silent).toMatchObject({ code: 2, stdout: '' });
    const nothing = await operator.run(
      'cancel',
      'intents',
      '-q',
      'reason=rejected',
      '--yes',
      '--reason',
      'none of them',
    );
    expect(nothing).toMatchObject({ code: 3, stdout: '' });
  });
});
