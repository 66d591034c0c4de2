import type {
  IntentPage,
  JobItemsPage,
  JobView,
  QuarantinedDetails,
  QuarantinedView,
  QuarantinePage,
} from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { programsFile } from '../e2e/harness.js';
import { readLedger } from '../e2e/partner.js';
import type { Emission } from '../e2e/traffic.js';
import { emission, enrolled, produce, purchased } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { ActionSteps } from './action-steps.js';
import { awaitStatus } from './troubled-traffic.js';

const programs = `${programsFile}    autoPause: { sameRefusals: 1000000 }\n`;
const members = Array.from({ length: 30 }, (_, index) => `m-${index}`);
const soon = { timeoutMs: 60_000 };
const failedRequest = /Failed to load resource/;

/** A purchase that somebody has sent without what the contract needs. */
function flawed(memberId: string, purchaseId: string, change: object): Emission {
  const total = { minor: 1_250, currency: 'EUR', digits: 2 };
  const data = { memberId, purchaseId, channel: 'pos', storeId: 'berlin-07', total, lines: [], ...change };
  return emission('purchases', 'purchase.completed', { id: `p-${purchaseId}`, ...data });
}

/** Its store is a number, which an operator may correct. */
const wrongStore = (purchaseId: string): Emission => flawed('m-1', purchaseId, { storeId: 4_711 });
/** With something in it that nobody has thought of, which is masked. */
const withSku = (purchaseId: string): Emission =>
  flawed('m-1', purchaseId, {
    storeId: 4_711,
    lines: [{ sku: 'Moka & Milk', quantity: 1, net: { minor: 1_250, currency: 'EUR', digits: 2 } }],
  });
/** Programs that the file does not have yet. */
const teaClub = (purchaseId: string): Emission => flawed('m-2', purchaseId, { program: 'tea-club' });
const dollars = (purchaseId: string): Emission =>
  flawed('m-3', purchaseId, { total: { minor: 100, currency: 'USD', digits: 2 } });

describeUnless(chromiumMissing, 'each action on many, through the screens', () => {
  let fixture: ConsoleFixture;
  let steps: ActionSteps;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs);
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', members.length);
  });

  beforeEach(async () => {
    steps = new ActionSteps(await fixture.sit());
  });

  afterEach(async () => {
    await steps.seat.close();
  });

  afterAll(async () => {
    await fixture.close();
  });

  const record = async (id: number): Promise<QuarantinedDetails> =>
    (await fixture.api('viewer').get(`/quarantine/${id}`)).body as QuarantinedDetails;
  const openRecords = async (): Promise<readonly QuarantinedView[]> =>
    ((await fixture.api('viewer').get('/quarantine?limit=500')).body as QuarantinePage).items;

  /** Sets these aside, after those that are there. @returns the new ones, the oldest first */
  async function setAside(emissions: readonly Emission[]): Promise<readonly QuarantinedView[]> {
    const known = new Set((await openRecords()).map(({ id }) => id));
    await produce(fixture.harness.broker, fixture.harness.topics, emissions);
    return waitUntil(
      async () => {
        const fresh = (await openRecords()).filter(({ id }) => !known.has(id));
        return fresh.length === emissions.length ? fresh.toSorted((a, b) => a.id - b.id) : undefined;
      },
      { what: `${emissions.length} records to be set aside`, ...soon },
    );
  }

  const onlyId = ([one]: readonly QuarantinedView[]): number => one?.id ?? 0;
  const effects = async (purchaseId: string): Promise<number> =>
    (await readLedger(fixture.harness.sandboxUrl)).filter(({ key }) => key === purchaseId).length;
  const awaitEffect = async (purchaseId: string): Promise<void> => {
    await waitUntil(async () => (await effects(purchaseId)) === 1, { what: `${purchaseId} at the partner`, ...soon });
  };
  const recordsOf = async (purchaseId: string): Promise<IntentPage['items']> =>
    ((await fixture.api('viewer').get(`/intents?purchaseId=${purchaseId}`)).body as IntentPage).items;

  describe('records set aside', () => {
    it('correct and take in: shows what differs, takes that in, and keeps what arrived and what is masked', async () => {
      const id = onlyId(await setAside([withSku('mended')]));
      await steps.seat.goTo(`quarantine/${id}`);
      await steps.main.getByRole('button', { name: 'Correct', exact: true }).click();
      const editor = steps.main.getByLabel('Value (JSON)');
      const { value: arrived } = await record(id);
      // Only what is wrong is typed, whatever is masked beside it.
      const shown = await editor.inputValue();
      expect(shown).toContain('"storeId": 4711');
      expect(shown).toMatch(/"sku": "text\(\d+\) •••"/);
      await steps.says(/stays as it arrived: leave the dots/);
      await editor.fill(shown.replace('"storeId": 4711', '"storeId": "berlin-07"'));
      await steps.open('Review and resubmit');
      const rows = await steps.dialog.getByRole('region', { name: 'What changes' }).locator('tbody tr').allInnerTexts();
      expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual(['data.storeId 4711 "berlin-07"']);
      await steps.say('the till sent its number');
      await steps.clickTwice(steps.button(`Resubmit record ${id} corrected`));
      await steps.dialog.waitFor({ state: 'detached' });
      await awaitEffect('mended');
      expect(steps.takeSent()).toEqual([`POST /quarantine/${id}/resubmit`]);
      const taken = await record(id);
      expect(taken).toMatchObject({ state: 'resubmitted', value: arrived });
      expect(taken.corrected?.changes).toMatchObject([{ path: 'value.data.storeId', from: 4_711, to: 'berlin-07' }]);
      await steps.says(/the till sent its number/);
      expect(steps.findings()).toEqual([]);
    });

    it('an admin sees everything in it for a minute, says why, and it stands in the audit', async () => {
      const id = onlyId(await setAside([withSku('unmasked')]));
      await steps.seat.close();
      steps = new ActionSteps(await fixture.sit({ role: 'admin' }));
      await steps.seat.goTo(`quarantine/${id}`);
      expect(await steps.main.innerText()).not.toContain('Moka & Milk');
      await steps.open('Unmask');
      await steps.perform('Show what is personal', 'which article was it');
      await steps.main.getByRole('region', { name: 'Value' }).getByText('Moka & Milk').waitFor();
      await steps.main.getByRole('button', { name: 'Hide now' }).click();
      await steps.main.getByText('Moka & Milk').first().waitFor({ state: 'detached' });
      await steps.seat.goTo('audit');
      await steps.main.getByRole('row', { name: /saw a record unmasked/ }).waitFor();
      await fixture.api('admin').post(`/quarantine/${id}/discard`, { reason: 'of a test' });
      expect(steps.findings()).toEqual([]);
    });

    it('discard, while the answer gets lost: may have been done, was, and is shown so', async () => {
      const id = onlyId(await setAside([wrongStore('discarded')]));
      await steps.seat.goTo(`quarantine/${id}`);
      await steps.loseAnswers(/\/discard$/);
      await steps.open('Discard');
      await steps.say('a test of the till');
      await steps.button(`Discard record ${id}`).click();
      await steps.says(/It may have been done/, steps.dialog);
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      await steps.says(/a test of the till/);
      expect(steps.takeSent()).toEqual([`POST /quarantine/${id}/discard`]);
      expect(await record(id)).toMatchObject({ state: 'discarded' });
      expect(await recordsOf('discarded')).toEqual([]);
      expect(steps.findings([failedRequest])).toEqual([]);
    });

    it('somebody else was faster: who, when and why is said, and nothing is taken in', async () => {
      const id = onlyId(await setAside([wrongStore('faster')]));
      await steps.seat.goTo(`quarantine/${id}`);
      await steps.open('Resubmit');
      await steps.say('too late');
      await fixture.api('admin').post(`/quarantine/${id}/discard`, { reason: 'it is nothing' });
      await steps.button(`Resubmit record ${id}`).click();
      await steps.says(/It was discarded by admin at .*: it is nothing/, steps.dialog);
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      await steps.says(', discarded');
      expect(await recordsOf('faster')).toEqual([]);
      expect(steps.findings([failedRequest])).toEqual([]);
    });

    it('resubmit many: tried first, as many as it said, those that the filter finds', async () => {
      const tea = await setAside(Array.from({ length: 13 }, (_, index) => teaClub(`tea-${index}`)));
      await setAside([dollars('usd-1')]);
      // Somebody has put the program into the file since; one of its records names what it does not have.
      const [coffee = ''] = /coffee-club:[^]*/.exec(programs) ?? [];
      await fixture.harness.writePrograms(
        `${programs}  ${coffee.replace('coffee-club', 'tea-club').replace('"2001"', '"2002"')}`,
      );
      const reloaded = await fixture.api('admin').post('/reload', { reason: 'a club for tea' });
      expect(reloaded).toMatchObject({ status: 200 });
      await steps.seat.goTo(`quarantine/${tea[0]?.id ?? 0}`);
      await steps.says('"tea-club"');
      await steps.seat.goTo('quarantine');
      // Of all there are at once nobody means all: the counts lead to those of one kind.
      const all = steps.main.getByRole('button', { name: 'Resubmit all of these' });
      expect(await all.getAttribute('aria-disabled')).toBe('true');
      await steps.says(/14 open ones/);
      await steps.main.getByRole('button', { name: 'unknown-program 13' }).click();
      await steps.says(/13 open ones/);
      await all.click();
      await steps.says(/Open records with reason unknown-program/);
      await steps.main.getByLabel(/^Why/).fill('the file knows the club now');
      await steps.clickTwice(steps.main.getByRole('button', { name: 'Try them' }));
      await steps.says('will be taken in');
      expect(steps.takeSent()).toEqual(['POST /jobs']);
      const start = steps.main.getByRole('button', { name: 'Resubmit 13 records' });
      expect(await start.getAttribute('aria-disabled')).toBe('true');
      await steps.main.getByLabel('How many').fill('13');
      await steps.clickTwice(start);
      await steps.says('records are taken in');
      const states = await Promise.all(tea.map(async ({ id }) => (await record(id)).state));
      expect(new Set(states)).toEqual(new Set(['resubmitted']));
      expect((await openRecords()).map(({ reason }) => reason)).toEqual(['unroutable']);
      expect(steps.findings()).toEqual([]);
    });

    it('regression: discard many: those that were counted, and none that came while somebody looked at them', async () => {
      const [kept] = await openRecords();
      const counted = await setAside([wrongStore('counted-1'), wrongStore('counted-2')]);
      await steps.seat.goTo('quarantine?reason=invalid');
      await steps.main.getByRole('button', { name: 'Discard all of these' }).click();
      await steps.main.getByLabel(/^Why/).fill('drills of the till');
      await steps.clickTwice(steps.main.getByRole('button', { name: 'Look which they are' }));
      await steps.says('given up');
      const later = await setAside([wrongStore('later')]);
      await steps.main.getByLabel('How many').fill('2');
      await steps.clickTwice(steps.main.getByRole('button', { name: 'Discard 2 records' }));
      await steps.says('records are given up');
      expect(steps.takeSent()).toEqual(['POST /jobs', expect.stringMatching(/^POST \/jobs\/[^/]+\/start$/)]);
      const states = await Promise.all([...counted, ...later].map(async ({ id }) => (await record(id)).state));
      expect(states).toEqual(['discarded', 'discarded', 'open']);
      await fixture.api('admin').post(`/quarantine/${onlyId(later)}/discard`, { reason: 'of a test' });
      expect((await openRecords()).map(({ id }) => id)).toEqual([kept?.id]);
      expect(steps.findings()).toEqual([]);
    });
  });

  describe('replays', () => {
    let replayId = '';
    const replay = async (): Promise<JobView> => (await fixture.api('viewer').get(`/jobs/${replayId}`)).body as JobView;
    const counts = async (): Promise<Readonly<Record<string, number>>> => (await replay()).selection?.byState ?? {};
    const itemsOf = async (state: string): Promise<JobItemsPage['items']> =>
      ((await fixture.api('viewer').get(`/jobs/${replayId}/items?state=${state}&limit=500`)).body as JobItemsPage)
        .items;

    beforeAll(async () => {
      await fixture.breakPartner({ operation: 'transaction', kind: 'error-before', status: 422 });
      const { broker, topics } = fixture.harness;
      await produce(
        broker,
        topics,
        members.map((memberId) => purchased(memberId, `${memberId}-p`)),
      );
      await awaitStatus(fixture, 'parked', members.length);
    });

    it('is planned as what it says: how many, whose, for how much, each with its purchase and amount; and planned once', async () => {
      await steps.seat.goTo('jobs/replay/new?program=coffee-club&operation=transaction');
      await steps.says('30 purchases parked now.');
      // How fast is asked where it is started, and why only here.
      expect(await steps.main.getByLabel('At most, a second').count()).toBe(0);
      await steps.main.getByLabel(/^Why/).fill('the partner has mended it');
      await steps.clickTwice(steps.main.getByRole('button', { name: 'Preview' }));
      await steps.says('All 30 will be sent once more.');
      expect(steps.takeSent()).toEqual(['POST /jobs']);
      replayId = new URL(steps.seat.page.url()).pathname.split('/').at(-1) ?? '';
      const planned = await replay();
      expect(planned).toMatchObject({ state: 'planned', selection: { items: 30, members: 30 } });
      expect(planned.selection?.money).toEqual([{ currency: 'EUR', minor: 30 * 1_250, digits: 2 }]);
      const figures = steps.main.locator('dl').first();
      expect((await figures.innerText()).split(/\s*\n\s*/)).toEqual([
        ...['selected', '30', 'members', '30', 'money', 'EUR 375.00'],
      ]);
      const rows = steps.main.getByRole('grid', { name: 'Intents of this job' }).locator('[data-row]');
      await rows.nth(9).waitFor();
      const items = await itemsOf('waiting');
      const cells = await Promise.all(
        Array.from({ length: 10 }, (_, index) => rows.nth(index).getByRole('gridcell').allInnerTexts()),
      );
      // What is expected of all alike is said once, above.
      expect(cells).toEqual(
        items
          .slice(0, 10)
          .map(({ intent, purchaseId }) => [
            decodeURIComponent(intent ?? '').replace('coffee-club~', ''),
            ...[purchaseId, 'berlin-07', 'EUR 12.50', '–'],
          ]),
      );
      expect(await steps.main.getByLabel('Why').count()).toBe(0);
      await steps.says('The first request');
      await steps.says(/^POST \/101\/programs\/2001\//);
      expect(steps.findings()).toEqual([]);
    });

    it('is stopped by its canary, and after a resume its stage and the result of each are shown while it runs', async () => {
      await steps.seat.goTo(`jobs/replay/${replayId}`);
      // Slow enough to be watched, and to be paused in the middle.
      await steps.main.getByLabel('At most, a second').fill('0.5');
      await steps.clickTwice(steps.main.getByRole('button', { name: 'Replay 30 purchases' }));
      await steps.says('The canary stopped it: the one that was sent failed');
      expect(steps.takeSent()).toEqual([`POST /jobs/${replayId}/start`]);
      await fixture.breakPartner();
      // The first one stays under way until this is lifted.
      const held = { program: 'coffee-club', operation: 'transaction' };
      await fixture.api('operator').post('/pauses', { ...held, reason: 'to be watched' });
      const told = await steps.open('Resume');
      expect(told).toMatchObject({ action: 'Resume: send 29 purchases', figures: { waiting: '29' } });
      await steps.perform('Resume: send 29 purchases', 'mended');
      await steps.says('Waits for a pause');
      // What the canary before stopped at is not told as if it were of this one.
      expect(await steps.main.getByText(/failed again so far/).count()).toBe(0);
      await fixture.api('operator').delete('/pauses', held);
      await steps.says('The first one was delivered: ten more go');
      // Its results were read when all of them waited.
      const results = steps.main.getByRole('grid', { name: 'Intents of this job' });
      await results.getByText('delivered', { exact: true }).nth(1).waitFor();
      await results.getByText('failed again', { exact: true }).waitFor();
      expect(await replay()).toMatchObject({ state: 'running' });
      expect(steps.findings()).toEqual([]);
    });

    it('is paused, resumed and cancelled: what was sent stays sent, and the rest is skipped', async () => {
      await steps.seat.goTo(`jobs/replay/${replayId}`);
      await steps.open('Pause');
      await steps.perform('Pause this replay');
      await steps.says('Somebody paused it');
      const paused = await replay();
      expect(paused).toMatchObject({ state: 'paused' });
      expect(paused.selection?.byState['waiting']).toBeGreaterThan(0);
      await waitUntil(async () => ((await counts())['sent'] ?? 0) === 0, { what: 'all to end', ...soon });
      const { waiting = 0 } = await counts();
      await steps.says(new RegExp(`^${waiting} waiting$`));
      const told = await steps.open('Cancel');
      expect(told).toMatchObject({ figures: { skipped: String(waiting) } });
      await steps.loseAnswers(/\/cancel$/);
      await steps.button(told.action).click();
      await steps.says(/It may have been done/, steps.dialog);
      await steps.keepAnswers();
      await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
      await steps.says('It was cancelled');
      const cancelled = await replay();
      expect(cancelled).toMatchObject({ state: 'cancelled', selection: { byState: { skipped: waiting } } });
      const sent = (await itemsOf('delivered')).length;
      const keys = (await readLedger(fixture.harness.sandboxUrl)).filter(({ key }) => key?.endsWith('-p') === true);
      expect(keys).toHaveLength(sent);
      expect(steps.findings([failedRequest])).toEqual([]);
    });

    it('is told in the history, with who, why and how it ended', async () => {
      await steps.seat.goTo('jobs?kind=replay');
      const row = steps.main.getByRole('row').filter({ has: steps.seat.page.getByTitle(replayId) });
      await row.waitFor();
      const text = await row.innerText();
      expect(text).toContain('cancelled');
      expect(text).toContain('Purchases of coffee-club');
      expect(text).toContain('EUR 375.00');
      expect(text).toContain('the partner has mended it');
      await row.getByRole('link').click();
      await steps.titled('Replay of 30 purchases');
      await steps.says(/Planned by operator/);
      expect(steps.findings()).toEqual([]);
    });

    it('somebody else was faster: a dry run that was discarded is not started', async () => {
      const body = { kind: 'replay', id: 'gone', query: { operation: 'transaction' }, reason: 'a look', dryRun: true };
      await fixture.api('operator').post('/jobs', body);
      await steps.seat.goTo('jobs/replay/gone');
      const start = steps.main.getByRole('button', { name: /^Replay \d+ purchases?$/ });
      await start.waitFor();
      await fixture.api('operator').post('/jobs/gone/cancel', { reason: 'not now' });
      await start.click({ force: true });
      await waitUntil(
        async () => {
          const words = await steps.main.innerText();
          return words.includes('It is cancelled.') || words.includes('It was cancelled');
        },
        { what: 'the page to say that it is cancelled', ...soon },
      );
      expect(((await fixture.api('viewer').get('/jobs/gone')).body as JobView).startedAt).toBeNull();
    });
  });
});
