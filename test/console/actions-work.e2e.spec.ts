import type { JobLinesPage, JobList, JobView, PauseList } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { programsFile } from '../e2e/harness.js';
import { losePasses, readLedger } from '../e2e/partner.js';
import { awaitReports } from '../e2e/store.js';
import { enrolled, produce, purchased } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { ActionSteps } from './action-steps.js';
import { awaitStatus } from './troubled-traffic.js';

/** So few refused members make a hold. */
const sameRefusals = 3;
const programs = `${programsFile}    autoPause: { sameRefusals: ${sameRefusals} }\n`;
const members = Array.from({ length: 20 }, (_, index) => `m-${index}`);
const lost = ['m-3', 'm-7'];
const held = ['m-10', 'm-11'];
const refused = ['m-12', 'm-13', 'm-14', 'm-15', 'm-16', 'm-17'];
const soon = { timeoutMs: 60_000 };
const failedRequest = /Failed to load resource/;
const scope = 'purchases of coffee-club';

describeUnless(chromiumMissing, 'pauses and jobs, through the screens', () => {
  let fixture: ConsoleFixture;
  let steps: ActionSteps;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs);
    await produce(fixture.harness.broker, fixture.harness.topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', members.length);
  });

  beforeEach(async () => {
    steps = new ActionSteps(await fixture.sit({ role: 'admin' }));
  });

  afterEach(async () => {
    await steps.seat.close();
  });

  afterAll(async () => {
    await fixture.close();
  });

  const effects = async (operation: string): Promise<number> =>
    (await readLedger(fixture.harness.sandboxUrl)).filter((entry) => entry.operation === operation).length;
  const buy = async (memberIds: readonly string[], storeId?: string): Promise<void> =>
    produce(
      fixture.harness.broker,
      fixture.harness.topics,
      memberIds.map((memberId) => purchased(memberId, `${memberId}-p`, storeId)),
    );

  describe('a pause', () => {
    const pauses = async (): Promise<PauseList['items']> =>
      ((await fixture.api('viewer').get('/pauses')).body as PauseList).items;
    const rows = () => steps.main.getByRole('region', { name: 'What is paused' }).locator('tbody tr');

    it('is set once, with its reason, and holds what it says', async () => {
      await steps.seat.goTo('pauses');
      await steps.open('Pause');
      await steps.dialog.getByLabel('Program').selectOption('coffee-club');
      await steps.dialog.getByLabel('Operation').selectOption('transaction');
      expect((await steps.foretold()).figures).toEqual({ 'intents ready to be sent': '0' });
      await steps.say('the partner counts its tills');
      await steps.clickTwice(steps.button(`Pause ${scope}`));
      await steps.announces(`Paused: ${scope}.`);
      // It stands in the corner, and goes when somebody closes it.
      const said = steps.seat.page.getByRole('status').filter({ hasText: `Paused: ${scope}.` });
      const { x = 0, width = 0 } = (await said.boundingBox()) ?? {};
      expect(x + width).toBeGreaterThan(1_200);
      await said.getByRole('button', { name: 'Close this message' }).click();
      await said.waitFor({ state: 'detached' });
      expect(steps.takeSent()).toEqual(['POST /pauses']);
      expect(await pauses()).toMatchObject([
        {
          ...{ program: 'coffee-club', operation: 'transaction', automatic: false },
          ...{ by: 'admin', reason: 'the partner counts its tills' },
        },
      ]);
      // Only when every process has seen it, it holds.
      await awaitReports(fixture.harness.database.url);
      await buy(held);
      await awaitStatus(fixture, 'pending', held.length);
      await steps.says(scope);
      await waitUntil(async () => (await rows().first().innerText()).includes(`\t${held.length}\t`), {
        what: 'the page to say how many it holds',
        ...soon,
      });
      expect(steps.findings()).toEqual([]);
    });

    it('of everything must be meant: nothing is chosen by itself, and the words say what it does', async () => {
      const before = await pauses();
      await steps.seat.goTo('pauses');
      expect(await steps.open('Pause')).toEqual({ action: 'Pause', figures: {}, items: [] });
      await steps.say('in a hurry');
      await steps.seat.page.keyboard.press('Tab');
      await steps.clickInVain(steps.button('Pause'));
      await steps.says('Choose a program first.', steps.dialog);
      await steps.dialog.getByLabel('Program').selectOption('Every program');
      await steps.says('Choose an operation first.', steps.dialog);
      await steps.dialog.getByLabel('Operation').selectOption('Every operation');
      expect((await steps.foretold()).action).toBe('Pause everything');
      await steps.says(/no program delivers anything any more/, steps.dialog);
      await steps.says(/^All members of all programs wait until somebody resumes/, steps.dialog);
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      expect(steps.takeSent()).toEqual([]);
      expect(await pauses()).toEqual(before);
      expect(steps.findings()).toEqual([]);
    });

    it('is begun by a link that names it, and by Ctrl-K', async () => {
      await steps.seat.goTo('pauses?begin=pause&program=coffee-club&operation=transaction');
      await steps.dialog.waitFor();
      await steps.says(`Pause ${scope}`, steps.dialog);
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      await steps.dialog.waitFor({ state: 'detached' });
      expect(new URL(steps.seat.page.url()).search).toBe('');
      await steps.seat.goTo('settings');
      await steps.seat.page.keyboard.press('Control+k');
      await steps.dialog.getByRole('combobox').fill('pause del');
      await steps.seat.page.keyboard.press('Enter');
      await steps.says('Choose a program first.', steps.dialog);
      expect(steps.findings()).toEqual([]);
    });

    it('is lifted: says how many go on, and they do; a lost answer is said to be one', async () => {
      const before = await effects('transaction');
      await steps.seat.goTo('pauses');
      await steps.loseAnswers(/\/pauses$/);
      const told = await steps.open(new RegExp(`^Resume`), rows());
      expect(told).toMatchObject({
        action: `Resume ${scope}`,
        figures: { 'intents ready to be sent': String(held.length) },
      });
      await steps.button(`Resume ${scope}`).click();
      await steps.says(/It may have been done/, steps.dialog);
      await steps.keepAnswers();
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      await steps.says('Nothing is paused');
      expect(steps.takeSent()).toEqual(['DELETE /pauses']);
      expect(await pauses()).toEqual([]);
      await waitUntil(async () => (await effects('transaction')) === before + held.length, {
        what: 'what was held to be sent',
        ...soon,
      });
      expect(steps.findings([failedRequest])).toEqual([]);
    });

    it('of delivery itself is shown as such, and lifted once the partner is well; who is too late is told', async () => {
      await fixture.breakPartner({ operation: 'transaction', kind: 'error-before', status: 422 });
      await buy(refused, 'hamburg-02');
      await waitUntil(async () => (await pauses()).some(({ automatic }) => automatic), {
        what: 'delivery to pause itself',
        ...soon,
      });
      const heldScope = `purchases (${(await pauses())[0]?.factor}) of coffee-club`;
      await steps.seat.goTo('pauses');
      await steps.says('delivery itself');
      // What made it do so is one step away: nobody resumes it without knowing.
      await rows()
        .getByRole('link', { name: /^See the \d+ that failed$/ })
        .click();
      await steps.titled('Refused by the partner');
      await steps.seat.page.goBack();
      await steps.open(new RegExp(`^Resume`), rows());
      await steps.clickInVain(steps.button(`Resume ${heldScope}`));
      await steps.says('Say why first.', steps.dialog);
      await steps.dialog.getByRole('link', { name: /^See the \d+ that failed$/ }).waitFor();
      await steps.say('the partner is well again');
      await steps.says(/Delivery holds this by itself: the partner fails nearly all such calls/, steps.dialog);
      await fixture.breakPartner();
      await fixture.api('operator').delete('/pauses', { program: 'coffee-club', operation: 'transaction' });
      await steps.button(`Resume ${heldScope}`).click();
      await steps.says(/not paused/i, steps.dialog);
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      await steps.says('Nothing is paused');
      expect(await pauses()).toEqual([]);
      expect(steps.findings([failedRequest])).toEqual([]);
    });
  });

  describe('a job', () => {
    const jobs = async (kind: string): Promise<JobList['items']> =>
      ((await fixture.api('admin').get(`/jobs?kind=${kind}`)).body as JobList).items;
    const newest = async (kind: string): Promise<JobView> => {
      const [job] = await jobs(kind);
      if (job === undefined) throw new Error(`no job of ${kind}`);
      return job;
    };
    const badge = (state: string): Promise<void> => steps.main.getByText(state, { exact: true }).first().waitFor();

    it('reconciliation: begun once, followed, its differences read, and repaired', async () => {
      await losePasses(fixture.harness.sandboxDatabaseUrl, lost);
      const issued = await effects('issue');
      await steps.seat.goTo('jobs');
      await steps.main.getByRole('button', { name: 'Reconcile', exact: true }).click();
      await steps.dialog.getByLabel('Program').selectOption('coffee-club');
      await steps.clickTwice(steps.button('Compare the passes of coffee-club'));
      await steps.titled('Reconciliation');
      expect(steps.takeSent()).toEqual(['POST /jobs']);
      await badge('done');
      const looked = await newest('reconcile');
      expect(looked).toMatchObject({ state: 'done', progress: { missingThere: lost.length } });
      expect(await effects('issue')).toBe(issued);
      // The listing is as long as the partner counts, and all the same not all is well.
      await steps.says(`The partner counts ${members.length - lost.length} passes, and listed as many.`);
      const counted = await steps.main.getByRole('list', { name: 'What it has counted' }).locator('li').allInnerTexts();
      expect(counted[0]?.replaceAll(/\s+/g, ' ')).toMatch(
        new RegExp(`^${lost.length} passes that we know are not at the partner A look-up confirmed it`),
      );
      // To what is over nothing can be done.
      expect(await steps.main.getByRole('button', { name: /^(Pause|Resume|Cancel)$/ }).count()).toBe(0);
      await steps.main.getByRole('button', { name: 'Read them' }).click();
      const table = steps.main.getByRole('grid', { name: 'What it found' });
      await table.getByRole('link', { name: lost[0] ?? '', exact: true }).waitFor();
      const { items } = (await fixture.api('viewer').get(`/jobs/${looked.id}/lines`)).body as JobLinesPage;
      const shown = await table.locator('[data-row]').count();
      expect(shown).toBe(items.length);
      const told = await steps.open('Repair what was found');
      expect(told).toMatchObject({
        action: 'Compare again and repair coffee-club',
        figures: { 'members, by the look before': String(lost.length) },
      });
      await steps.perform('Compare again and repair coffee-club', 'they want their cards back');
      await waitUntil(async () => (await effects('issue')) === issued + lost.length, {
        what: 'what was lost to be issued anew',
        ...soon,
      });
      await badge('done');
      expect(await jobs('reconcile')).toHaveLength(2);
      expect(steps.findings()).toEqual([]);
    });

    it('export: a lost answer begins no second one, its lines are read, and it is listed', async () => {
      await steps.seat.goTo('jobs');
      await steps.loseAnswers(/\/jobs$/);
      await steps.main.getByRole('button', { name: 'Export', exact: true }).click();
      await steps.dialog.getByLabel('Program').selectOption('coffee-club');
      await steps.button('Begin an export').click();
      await steps.says(/It may have been done/, steps.dialog);
      expect(await jobs('export')).toHaveLength(1);
      await steps.keepAnswers();
      // Who asks once more in the same dialog finds the one that was begun.
      await steps.button('Begin an export').click();
      await steps.titled('Export');
      await badge('done');
      const exported = await jobs('export');
      expect(exported).toHaveLength(1);
      const { lines } = await newest('export');
      await steps.says(`${lines.toLocaleString('en')} lines`);
      await steps.main.getByRole('button', { name: 'Read them' }).click();
      await steps.main.getByRole('grid', { name: 'What it found' }).locator('[data-row]').first().waitFor();
      await steps.seat.goTo('jobs?kind=export');
      await steps.main.getByRole('link', { name: 'Export' }).waitFor();
      expect(steps.findings([failedRequest])).toEqual([]);
    });

    it('erasure: of whom was typed twice; nobody can open what was recorded afterwards', async () => {
      await steps.seat.goTo('jobs');
      await steps.main.getByRole('button', { name: 'Erase a member' }).click();
      await steps.dialog.getByLabel('Program').selectOption('coffee-club');
      await steps.dialog.getByLabel('The member’s id', { exact: true }).fill('m-19');
      await steps.dialog.getByLabel('The member’s id, typed once more').fill('m-18');
      await steps.say('asked for by letter');
      await steps.clickInVain(steps.button('Erase m-19 for good'));
      await steps.says('Type the member’s id a second time.', steps.dialog);
      await steps.dialog.getByLabel('The member’s id, typed once more').fill('m-19');
      expect((await steps.foretold()).figures).toEqual({ 'intents queued, to be cancelled': '0' });
      expect(steps.takeSent()).toEqual([]);
      await steps.clickTwice(steps.button('Erase m-19 for good'));
      // The job says the id until it has forgotten it, which may be before the screen is drawn.
      await steps.titled('Erasure of ');
      await badge('done');
      // Whoever asked for it is to be told what it does not reach.
      await steps.says(/^Partner: It has no call that deletes a person or a pass/);
      expect(steps.takeSent()).toEqual(['POST /jobs']);
      expect((await fixture.api('viewer').get('/members/coffee-club/m-19')).body).toMatchObject({ isErased: true });
      expect((await fixture.api('viewer').get('/members/coffee-club/m-18')).body).toMatchObject({ isErased: false });
      expect(steps.findings()).toEqual([]);
    });

    it('is paused, resumed and cancelled; who is too late is told', async () => {
      // It tries again for as long as the partner fails: however slow we are here, it is not done before it is stopped.
      await fixture.breakPartner({ operation: '*', kind: 'error-before', status: 503 });
      const { status } = await fixture
        .api('operator')
        .post('/jobs', { kind: 'reconcile', id: 'steered', program: 'coffee-club', reason: 'to be steered' });
      expect(status).toBe(200);
      await steps.seat.goTo('jobs/reconcile/steered');
      await steps.open('Pause');
      await steps.perform('Pause the reconciliation', 'the partner fails');
      await badge('paused');
      const stands = async (): Promise<JobView> => (await fixture.api('viewer').get('/jobs/steered')).body as JobView;
      expect(await stands()).toMatchObject({ state: 'paused' });
      await steps.open('Resume');
      await steps.perform('Resume the reconciliation');
      await steps.open('Cancel');
      await fixture.api('operator').post('/jobs/steered/cancel', { reason: 'the other one is faster' });
      await steps.button('Cancel the reconciliation').click();
      await steps.says('It is cancelled.', steps.dialog);
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      await badge('cancelled');
      expect(await stands()).toMatchObject({ state: 'cancelled' });
      await fixture.breakPartner();
      expect(steps.findings([failedRequest])).toEqual([]);
    });
  });
});
