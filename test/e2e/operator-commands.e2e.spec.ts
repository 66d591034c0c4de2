import type { IntentPage, JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { describeUnless, missingCommands } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { compileLoyaltyd, Loyaltyd } from './loyaltyd.js';
import { createAttribute, readLedger } from './partner.js';
import { enrolled, produce, purchased } from './traffic.js';

/** With an attribute that the partner does not know. */
const programs = `${programsFile.replace('store: storeId', 'store: storeId, shop: storeId')}    autoPause: { sameRefusals: 1000 }\n`;
const members = Array.from({ length: 12 }, (_, index) => `m-${index}`);
const [corrected, cancelled, resolved] = ['m-9', 'm-10', 'm-11'] as const;
const replayed = members.slice(0, 9);
const why = ['--reason', 'the partner has mended its type 31'];
const query = 'status=parked operation=transaction';
const soon = { timeoutMs: 60_000 };

// They are typed into a shell, with its pipes.
describeUnless(missingCommands('bash'), 'the commands of an operator whose partner refuses', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let viewer: Loyaltyd;
  let operator: Loyaltyd;

  beforeAll(async () => {
    harness = await openHarness(programs);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    await compileLoyaltyd();
    viewer = new Loyaltyd(daemon, 'viewer');
    operator = new Loyaltyd(daemon, 'operator');
    await produce(harness.broker, harness.topics, members.map(enrolled));
    await awaitCount('status=delivered&operation=issue', members.length);
    await produce(
      harness.broker,
      harness.topics,
      members.map((memberId) => purchased(memberId, `${memberId}-p`)),
    );
    await awaitCount('status=parked', members.length);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function awaitCount(search: string, count: number): Promise<void> {
    const api = new ApiClient(daemon, 'viewer');
    const isThere = async (): Promise<boolean> =>
      ((await api.get(`/intents?${search}`)).body as IntentPage).items.length === count;
    await waitUntil(isThere, { what: `${count} of ${search}`, ...soon });
  }

  async function names(...words: readonly string[]): Promise<string[]> {
    const { stdout } = await viewer.run('get', 'intents', '-o', 'name', '--query', ...words);
    return stdout.split('\n').filter((line) => line !== '');
  }

  const parkedId = (memberId: string): string => `coffee-club~${memberId}~2`;

  it('find what is stuck and why, page by page, as a table and for programs', async () => {
    const { code, stdout, stderr } = await viewer.run('get', 'intents', '--query', query);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^coffee-club~m-3~2 +parked +transaction +rejected +refused +m-3-p +EUR 12\.50/m);
    expect(stdout.trimEnd().split('\n')).toHaveLength(members.length + 1);
    expect(await names(query)).toHaveLength(members.length);
    const csv = await viewer.run('get', 'intents', '--query', query, '--limit', 'all', '-o', 'csv');
    expect(csv).toMatchObject({ code: 0, stderr: '' });
    expect(csv.stdout).toMatch(/^intent,status,operation,program,member,purchase,amount,currency,store,/);
    expect(csv.stdout).toMatch(/^coffee-club~m-3~2,parked,transaction,coffee-club,m-3,m-3-p,12\.50,EUR,/m);
    const five = await viewer.run('get', 'intents', '--query', query, '--limit', '5', '-o', 'json');
    expect((JSON.parse(five.stdout) as IntentPage).items).toHaveLength(5);
    expect(five.stderr).toContain('more than 5');
    const groups = await viewer.run('get', 'groups', '-o', 'name');
    expect(await names(groups.stdout.trim())).toHaveLength(members.length);
  });

  it('describe an intent with every attempt, and a member with the pass, but for what gives it to everybody', async () => {
    const story = await viewer.run('describe', 'intent', parkedId('m-1'));
    expect(story.code).toBe(0);
    expect(story.stdout).toMatch(/^Status: +parked: rejected$/m);
    expect(story.stdout).toContain('AttemptRejected');
    expect(story.stdout).toContain('Attempt 1, response:');
    const member = (await viewer.run('describe', 'member', 'coffee-club/m-1')).stdout;
    expect(member).toMatch(/^Serial number: WS-\d+$/m);
    expect(member).not.toContain('http');
    expect(await viewer.run('describe', 'intent', parkedId('nobody'))).toMatchObject({ code: 3, stdout: '' });
  });

  it('do nothing for who may not, says not why, or names what is not there', async () => {
    const refused = await viewer.run('replay', 'intents', '--query', query, '--yes', ...why);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toMatch(/^loyaltyd: .*operator.*\n$/);
    expect(await operator.run('replay', 'intents', '--query', query, '--yes')).toMatchObject({ code: 2 });
    expect(await operator.run('replay', 'intents', '--query', query, ...why)).toMatchObject({ code: 2 });
    expect(await operator.run('cancel', 'intent', 'nobody', ...why)).toMatchObject({ code: 2 });
    expect(await operator.run('cancel', 'intent', 'coffee-club~nobody~1', ...why)).toMatchObject({ code: 3 });
    const nothing = await operator.run('replay', 'intents', '--query', 'operation=reward', '--yes', ...why);
    expect(nothing).toMatchObject({ code: 3, stdout: '' });
    expect(await names(query)).toHaveLength(members.length);
  });

  it('cancel and resolve one, once', async () => {
    const cancel = ['cancel', 'intent', parkedId(cancelled), ...why];
    const done = await operator.run(...cancel);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/^coffee-club~m-10~2 is cancelled/);
    const refused = await operator.run(...cancel);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^loyaltyd: .*nothing is left to do.*\n$/);
    const resolve = await operator.run(
      'resolve',
      'intent',
      parkedId(resolved),
      '--as',
      'delivered',
      ...why,
      '-o',
      'json',
    );
    expect(JSON.parse(resolve.stdout)).toMatchObject({ intent: { status: 'delivered' } });
  });

  it('correct one by a patch, and send it', async () => {
    const patch = `echo '{"attributes": {"shop": null}}' | loyaltyd correct intent ${parkedId(corrected)} --patch - --reason mend`;
    const { code, stdout } = await operator.pipe(patch);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Changed:\n {2}\S*shop\S*: /m);
    expect(stdout).toMatch(/^Would be sent now:$/m);
    expect(await operator.run('replay', 'intent', parkedId(corrected), ...why)).toMatchObject({ code: 0 });
    await awaitCount(`status=delivered&purchaseId=${corrected}-p`, 1);
    expect((await viewer.run('describe', 'intent', parkedId(corrected))).stdout).toContain('IntentCorrected');
  });

  it('replay: tried dry, stopped by its canary, mended, and done', async () => {
    const words = ['replay', 'intents', '--query', query, '--rate', '200/s', '--id', 'mended', ...why];
    const dry = await operator.run(...words, '--dry-run', '-o', 'json');
    expect(JSON.parse(dry.stdout)).toMatchObject({
      ...{ state: 'planned', selection: { byForecast: { 'was-refused': replayed.length } } },
    });
    const stopped = await operator.run(...words, '--yes');
    expect(stopped).toMatchObject({ code: 4 });
    expect(stopped.stderr).toContain('loyaltyd resume job replay/mended');
    await createAttribute(harness.sandboxUrl, 31, 'shop');
    expect(await operator.run('resume', 'job', 'replay/mended', ...why)).toMatchObject({ code: 0 });
    const again = await operator.run(...words, '--yes', '-o', 'json');
    // The one that the canary tried has parked again.
    expect(again).toMatchObject({ code: 4 });
    const replay = JSON.parse(again.stdout) as JobView;
    expect(replay).toMatchObject({
      ...{ state: 'done', selection: { byState: { delivered: replayed.length - 1, parked: 1 } } },
    });
    expect(await viewer.run('describe', 'job', 'replay/mended')).toMatchObject({ code: 0 });
    const failed = await viewer.run('get', 'job-items', 'replay/mended', '-q', 'state=parked', '-o', 'name');
    expect(await names(query)).toEqual(failed.stdout.trim().split('\n'));
    const last = await operator.run('replay', 'intents', '--query', query, '--yes', ...why);
    expect(last).toMatchObject({ code: 0 });
    const posted = (await readLedger(harness.sandboxUrl)).filter(({ operation }) => operation === 'transaction');
    expect(posted.map(({ key }) => key).toSorted()).toEqual(
      [...replayed, corrected].map((memberId) => `${memberId}-p`).toSorted(),
    );
  });

  it('begin bulk work as a job that is there to look at', async () => {
    const words = ['reread', '--program', 'coffee-club', '--id', 'first', '--no-wait', '-o', 'name', ...why];
    expect(await operator.run(...words)).toEqual({ code: 0, stdout: 'reread/first\n', stderr: '' });
    expect(await operator.run(...words)).toMatchObject({ code: 0, stdout: 'reread/first\n' });
    expect((await viewer.run('get', 'jobs', '-q', 'kind=reread', '-o', 'name')).stdout).toBe('reread/first\n');
    expect((await viewer.run('describe', 'job', 'reread/first')).stdout).toMatch(/^Reason: +the partner has/m);
    expect(await viewer.run('describe', 'job', 'reread/other')).toMatchObject({ code: 3, stdout: '' });
  });

  it('pause and resume exactly what is named', async () => {
    expect(await operator.run('pause', '--operation', 'transaction', ...why)).toMatchObject({ code: 0 });
    expect((await viewer.run('get', 'pauses', '-o', 'name')).stdout).toBe('*/transaction\n');
    expect(await operator.run('resume', ...why)).toMatchObject({ code: 3, stdout: '' });
    expect(await operator.run('resume', '--operation', 'transaction', ...why)).toMatchObject({ code: 0 });
    expect(await viewer.run('get', 'pauses')).toMatchObject({ code: 3, stdout: '' });
  });

  it('tell who did what and why', async () => {
    const { stdout } = await viewer.run('get', 'audit', '--query', 'actor=operator', '--since', '1h');
    expect(stdout).toMatch(/operator +intent\.cancel +coffee-club~m-10~2 +the partner has mended its type 31/);
    expect(stdout).toMatch(/operator +replay\.resume/);
  });

  it('look again and again by --watch, until Ctrl-C', async () => {
    const isSeenTwice = (text: string): boolean => (text.match(/coffee-club~m-3~2/g) ?? []).length >= 2;
    const { stdout, end } = await viewer.watch(['get', 'intents', '-o', 'name', '--watch=0.2'], isSeenTwice);
    expect(isSeenTwice(stdout)).toBe(true);
    expect(end).toBe('SIGINT');
  });

  it('go with pipes: nobody reads on, and nobody hears of it', async () => {
    const silent = { code: 0, stderr: '' };
    expect(await viewer.pipe('loyaltyd get intents -o json | head -c 1')).toEqual({ ...silent, stdout: '{' });
    // It has gone before the first line comes.
    expect(await viewer.pipe('loyaltyd get intents | true')).toEqual({ ...silent, stdout: '' });
    expect(await viewer.pipe('loyaltyd --help | true')).toEqual({ ...silent, stdout: '' });
    const chain = `loyaltyd get intents -o name --limit 2 2>/dev/null | xargs -n 1 "$LOYALTYD" describe intent -o name`;
    expect((await viewer.pipe(chain)).stdout).toBe((await viewer.pipe(chain.split(' | ')[0] ?? '')).stdout);
  });
});
