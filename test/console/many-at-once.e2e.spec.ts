import type { JobView } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { readLedger } from '../e2e/partner.js';
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
  wrongCount,
} from '../e2e/many-incident.js';
import { enrolled, produce } from '../e2e/traffic.js';
import { ActionSteps } from './action-steps.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { awaitStatus } from './troubled-traffic.js';

const decisionsMax = 5;
const tillDecisionsMax = 4;
const { wrong, doubtful } = manyMembers;

describeUnless(chromiumMissing, 'many at once, by someone who only has the console', () => {
  let fixture: ConsoleFixture;
  let steps: ActionSteps;
  let decisions = 0;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(manyPrograms);
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, [...wrong, ...doubtful].map(enrolled));
    await awaitStatus(fixture, 'delivered', wrong.length + doubtful.length);
  }, 300_000);

  beforeEach(async () => {
    steps = new ActionSteps(await fixture.sit({ role: 'admin' }));
    decisions = 0;
  });

  afterEach(async () => {
    await steps.seat.close();
  });

  afterAll(async () => {
    await fixture.close();
  });

  /** A button that somebody has to think about. */
  async function decide(name: RegExp): Promise<void> {
    decisions += 1;
    await steps.main.getByRole('button', { name }).last().click();
  }

  /** The job whose page is shown, once nothing more comes of it. */
  async function ended(): Promise<JobView> {
    const id = new URL(steps.seat.page.url()).pathname.split('/').at(-1) ?? '';
    return waitUntil(
      async () => {
        const job = (await fixture.api('viewer').get(`/jobs/${id}`)).body as JobView;
        return ['done', 'stopped', 'failed'].includes(job.state) ? job : undefined;
      },
      { what: 'the job to end', timeoutMs: 240_000 },
    );
  }

  const openGroup = async (words: RegExp): Promise<void> => {
    await steps.seat.goTo('failures');
    await steps.main.getByRole('link', { name: words }).first().click();
    await steps.says(/What it means/);
  };

  it('data that is wrong in 420 is corrected and sent from its cause, with the request of three seen first', async () => {
    const { broker, topics, sandboxUrl } = fixture.harness;
    await produce(broker, topics, wrong.map(numbered));
    await awaitStatus(fixture, 'parked', wrongCount);
    await openGroup(/refused/i);
    await decide(/^Correct these 420$/);
    await steps.main.getByLabel('Field').fill('attributes.campaign');
    await steps.main.getByLabel(/^Why/).fill('the till sent numbers');
    await decide(/^Look what would change$/);
    await steps.says(/will be corrected/);
    await steps.says('EUR 5,250.00');
    const examples = steps.main.getByRole('region', { name: 'What it makes of the first' });
    await examples.getByText('attributes.campaign').nth(2).waitFor();
    expect(await examples.getByText('What would be sent').count()).toBe(3);
    expect(await atPartner(sandboxUrl, 'transaction')).toEqual([]);
    const start = steps.main.getByRole('button', { name: /^Correct and replay 420 / });
    expect(await start.getAttribute('aria-disabled')).toBe('true');
    await steps.main.getByLabel('At most, a second').fill('1000');
    await steps.main.getByLabel('How many').fill('420');
    await decide(/^Correct and replay 420 /);
    const { state, selection } = await ended();
    expect({ state, byState: selection?.byState }).toEqual({ state: 'done', byState: { delivered: wrongCount } });
    await steps.says(/intents are delivered/);
    expect(await atPartner(sandboxUrl, 'transaction')).toEqual(wrong.toSorted());
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
    expect(steps.findings()).toEqual([]);
  });

  it('311 in doubt are settled by the partner’s list: what it has, and what it surely has not', async () => {
    const { broker, topics, sandboxUrl } = fixture.harness;
    const sinceMs = Date.now() - 60_000;
    const had = doubtful.slice(0, 200);
    await fixture.breakPartner(hollow(true));
    await produce(broker, topics, had.map(granting));
    await awaitStatus(fixture, 'parked', had.length);
    await fixture.breakPartner(hollow(false));
    await produce(broker, topics, doubtful.slice(had.length).map(granting));
    await awaitStatus(fixture, 'parked', doubtfulCount);
    await fixture.breakPartner();
    // What we know the partner to have bears its list out.
    await produce(broker, topics, wrong.slice(0, 1).map(granting));
    await waitUntil(
      async () => {
        const { body } = await fixture.api('viewer').get('/intents/count?status=delivered&operation=reward');
        return (body as { readonly count: number }).count === 1;
      },
      { what: 'the reward that bears it out', timeoutMs: 120_000 },
    );
    // Nothing of it can take effect any more by the end of the list's time.
    await steps.seat.page.waitForFunction((atMs) => Date.now() > atMs, Date.now() + 5_000);
    const list = `member,reward\n${(await atPartner(sandboxUrl, 'reward')).map((member) => `${member},9001\n`).join('')}`;
    await openGroup(/may have taken effect/i);
    await decide(/^Settle by the partner’s list$/);
    const downloading = steps.seat.page.waitForEvent('download');
    await steps.main.getByRole('button', { name: 'Download what is in doubt' }).click();
    expect((await downloading).suggestedFilename()).toBe('in-doubt.csv');
    await steps.main.getByLabel('What they have').fill(list);
    await steps.main.getByLabel(/^The list has all/).check();
    // By the clock of the browser, which stands elsewhere.
    const local = async (atMs: number): Promise<string> =>
      steps.seat.page.evaluate(
        (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19),
        atMs,
      );
    await steps.main.getByLabel('From').fill((await local(sinceMs)).slice(0, 16));
    await steps.main.getByLabel('To', { exact: true }).fill(await local(Date.now()));
    await steps.main.getByLabel('Types').fill('9001');
    await steps.main.getByLabel(/^Why/).fill('their list of today');
    await decide(/^Look what the list says$/);
    await steps.says(/it is settled as delivered/);
    await steps.main.getByLabel('How many').fill('311');
    await decide(/^Settle 311 /);
    expect(await ended()).toMatchObject({ state: 'done', selection: { byState: { done: doubtfulCount } } });
    expect(await atPartner(sandboxUrl, 'reward')).toHaveLength(had.length + 1);
    expect((await readLedger(sandboxUrl)).length).toBeGreaterThan(0);
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
    expect(steps.findings()).toEqual([]);
  });

  it('of 600 the 30 that one till has sent wrong are corrected and taken in from their cause', async () => {
    const { broker, topics, sandboxUrl } = fixture.harness;
    const { sound, broken } = tillMembers;
    const members = [...sound, ...broken];
    await produce(broker, topics, members.map(enrolled));
    await produce(
      broker,
      topics,
      members.map((memberId) => sold(memberId, broken.includes(memberId) ? brokenTill : undefined)),
    );
    const viewer = fixture.api('viewer');
    const counted = async (path: string, count: number): Promise<void> => {
      await waitUntil(async () => ((await viewer.get(path)).body as { readonly count: number }).count === count, {
        what: `${count} of ${path}`,
        timeoutMs: 240_000,
      });
    };
    await counted('/quarantine/count', broken.length);
    await counted('/intents/count?status=delivered&operation=transaction&store=graz', sound.length);
    await steps.seat.goTo('quarantine');
    const causes = steps.main.getByRole('region', { name: /Open records by cause/ });
    await causes.getByRole('link').first().click();
    await decide(/^Resubmit all of these$/);
    await steps.says(/cause data\.total\.minor/);
    await steps.main.getByLabel('How', { exact: true }).selectOption('number');
    await steps.main.getByLabel('Field').fill('data.total.minor');
    await steps.main.getByLabel(/^Why/).fill('the till sent texts');
    await decide(/^Try them$/);
    await steps.says('will be taken in');
    await steps.says('EUR 375.00');
    const examples = steps.main.getByRole('region', { name: 'What it makes of the first' });
    await examples.getByText('value.data.total.minor').nth(2).waitFor();
    expect(await examples.getByText(/^What would be sent/).count()).toBe(3);
    await steps.main.getByLabel('How many').fill('30');
    await decide(/^Resubmit 30 records$/);
    expect(await ended()).toMatchObject({ state: 'done', selection: { byState: { done: broken.length } } });
    await counted('/intents/count?status=delivered&operation=transaction&store=graz', members.length);
    const atTheirs = (await atPartner(sandboxUrl, 'transaction')).filter((memberId) => broken.includes(memberId));
    expect(atTheirs).toEqual(broken.toSorted());
    expect(decisions).toBeLessThanOrEqual(tillDecisionsMax);
    expect(steps.findings()).toEqual([]);
  });
});
