import type { PauseList } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless, queryOnce } from '#test-support';

import { atPartner } from '../e2e/many-incident.js';
import { membersNamed, oneStorePrograms, sickFactor, soldSick, soldWell } from '../e2e/one-store-incident.js';
import { awaitReports } from '../e2e/store.js';
import { enrolled, produce } from '../e2e/traffic.js';
import { ActionSteps } from './action-steps.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { awaitStatus } from './troubled-traffic.js';

const sameRefusals = 5;
const [sick, well, later, laterWell] = [
  membersNamed('sick', 30),
  membersNamed('well', 40),
  membersNamed('later', 12),
  membersNamed('laterwell', 9),
] as const;
const decisionsMax = 4;
const soon = { timeoutMs: 120_000 };

describeUnless(chromiumMissing, 'one store refused, by someone who only has the console', () => {
  let fixture: ConsoleFixture;
  let steps: ActionSteps;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(oneStorePrograms(sameRefusals));
    const { broker, topics } = fixture.harness;
    const members = [...sick, ...well, ...later, ...laterWell];
    await produce(broker, topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', members.length);
  }, 300_000);

  beforeEach(async () => {
    steps = new ActionSteps(await fixture.sit());
  });

  afterEach(async () => {
    await steps.seat.close();
  });

  afterAll(async () => {
    await fixture.close();
  });

  const posted = async (): Promise<string[]> => atPartner(fixture.harness.sandboxUrl, 'transaction');
  const pauses = async (): Promise<PauseList['items']> =>
    ((await fixture.api('viewer').get('/pauses')).body as PauseList).items;

  it('Now names that store and nothing wider, while the others are served throughout', async () => {
    const { broker, topics, database } = fixture.harness;
    await produce(
      broker,
      topics,
      well.flatMap((memberId, index) => [soldWell(memberId), ...sick.slice(index, index + 1).map(soldSick)]),
    );
    await waitUntil(async () => (await posted()).length === well.length && (await pauses()).length > 0, {
      what: 'the others to be served, and the hold',
      ...soon,
    });
    await steps.seat.goTo('');
    await steps.says(/^Purchases \(store:lisboa-colombo\) of coffee-club are paused by delivery itself/);
    expect(await steps.main.innerText()).not.toMatch(/everybody|Purchases of coffee-club are paused/);
    expect(await queryOnce(database.url, 'SELECT DISTINCT factor FROM pause')).toEqual([{ factor: sickFactor }]);
    expect(await posted()).toEqual(well.toSorted());
    expect(steps.findings()).toEqual([]);
  });

  it('what failed leads to a hold of its store, with all of that chosen', async () => {
    await steps.seat.goTo('failures');
    await steps.main
      .getByRole('link', { name: /refused/i })
      .first()
      .click();
    await steps.main.getByRole('link', { name: 'Hold store lisboa-colombo' }).click();
    await steps.says('Pause purchases (store:lisboa-colombo) of coffee-club', steps.dialog);
    await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
    await steps.dialog.waitFor({ state: 'detached' });
    expect(new URL(steps.seat.page.url()).search).toBe('');
    expect(steps.findings()).toEqual([]);
  });

  it('from a pause of all purchases that store is kept until tomorrow, and the others go on, in few decisions', async () => {
    const { broker, topics, database } = fixture.harness;
    const whole = { program: 'coffee-club', operation: 'transaction', reason: 'something is wrong' };
    expect(await fixture.api('operator').post('/pauses', whole)).toMatchObject({ status: 200 });
    await awaitReports(database.url);
    await produce(broker, topics, [...later.map(soldSick), ...laterWell.map(soldWell)]);
    await awaitStatus(fixture, 'pending', later.length + laterWell.length);
    let decisions = 0;
    const decide = async (act: () => Promise<unknown>): Promise<void> => {
      decisions += 1;
      await act();
    };
    await steps.seat.goTo('pauses');
    const row = steps.main.locator('tbody tr').filter({ hasText: 'something is wrong' });
    await decide(() => steps.open(/^Resume/, row));
    const offer = steps.dialog.getByLabel(/of store:lisboa-colombo: \d+ were refused/);
    await decide(() => offer.check());
    await decide(() => steps.dialog.getByLabel('How long').selectOption('Until 06:00 tomorrow'));
    await steps.say('the till of Lisboa sends numbers');
    await decide(() => steps.button(/^Hold these \d+, let the other \d+ go on$/).click());
    await steps.dialog.waitFor({ state: 'detached' });
    expect(steps.takeSent()).toEqual(['DELETE /pauses']);
    await waitUntil(async () => (await posted()).length === well.length + laterWell.length, {
      what: 'the others to be served',
      ...soon,
    });
    expect(await posted()).toEqual([...well, ...laterWell].toSorted());
    const [kept, ...more] = await pauses();
    expect(kept).toMatchObject({ operation: 'transaction', factor: sickFactor, automatic: false, by: 'operator' });
    expect(more).toEqual([]);
    const until = new Date(kept?.until ?? 0);
    expect(until.getTime()).toBeGreaterThan(Date.now());
    expect(until.getMinutes()).toBe(0);
    await steps.says('purchases (store:lisboa-colombo) of coffee-club');
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
    expect(steps.findings()).toEqual([]);
  });

  it('a pause of one member is set with its end, by a dialog that says what is missing', async () => {
    await steps.seat.goTo('pauses?begin=pause&program=coffee-club');
    await steps.dialog.getByLabel('Operation').selectOption('transaction');
    await steps.dialog.getByLabel('Of these').selectOption('Those of one member');
    await steps.says('Say which member first.', steps.dialog);
    await steps.dialog.getByLabel('Member', { exact: true }).fill('well-1');
    await steps.says('Choose every operation: a member is held as a whole.', steps.dialog);
    await steps.dialog.getByLabel('Operation').selectOption('Every operation');
    await steps.dialog.getByLabel('How long').selectOption('Until a time');
    await steps.says('Say until when first.', steps.dialog);
    await steps.dialog.getByLabel('How long').selectOption('For 1 hour');
    await steps.perform('Pause everything (member:well-1) of coffee-club', 'whose points are doubtful');
    const held = (await pauses()).find(({ factor }) => factor === 'member:well-1');
    expect(held).toMatchObject({ program: 'coffee-club', operation: null, by: 'operator' });
    const lasts = Date.parse(held?.until ?? '') - Date.parse(held?.since ?? '');
    expect(Math.round(lasts / 60_000)).toBe(60);
    expect(steps.findings()).toEqual([]);
  });
});
