import type { QuarantineCausesView } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { readLedger } from '../e2e/partner.js';
import type { Emission } from '../e2e/traffic.js';
import { emission, enrolled, produce, purchased } from '../e2e/traffic.js';
import { ActionSteps } from './action-steps.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { awaitStatus } from './troubled-traffic.js';

const members = Array.from({ length: 57 }, (_, index) => `m-${index}`);
const goodOfEach = 10;
const badRecords = 30;
const soon = { timeoutMs: 120_000 };

/** One till of 600 records writes the total of 30 as text. */
function fromBadTill(memberId: string, purchaseId: string): Emission {
  const total = { minor: '1950', currency: 'EUR', digits: 2 };
  const data = { memberId, purchaseId, channel: 'pos', storeId: 'graz', total, lines: [] };
  const { topic, message } = emission('purchases', 'purchase.completed', { id: `p-${purchaseId}`, ...data });
  const value = String(message.value).replace('/pos/test/till-1', '/pos/graz/till-3');
  return { topic, message: { ...message, value } };
}

describeUnless(
  chromiumMissing,
  'what is looked for, and what is set aside, by someone who only has the console',
  () => {
    let fixture: ConsoleFixture;
    let steps: ActionSteps;

    beforeAll(async () => {
      fixture = await ConsoleFixture.open();
      const { broker, topics } = fixture.harness;
      await produce(broker, topics, members.map(enrolled));
      await awaitStatus(fixture, 'delivered', members.length);
      const good = members.flatMap((memberId) =>
        Array.from({ length: goodOfEach }, (_, index) => purchased(memberId, `${memberId}-p${index}`)),
      );
      const bad = Array.from({ length: badRecords }, (_, index) => fromBadTill(`m-${index}`, `R5-T-${index}`));
      await produce(broker, topics, [...good, ...bad]);
      await waitUntil(async () => (await openRecords()) === badRecords, { what: 'records set aside', ...soon });
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

    async function openRecords(): Promise<number> {
      const { items } = (await fixture.api('viewer').get('/quarantine/causes')).body as QuarantineCausesView;
      return items.reduce((sum, { records }) => sum + records, 0);
    }

    const palette = async (text: string): Promise<void> => {
      await steps.seat.page.keyboard.press('Control+k');
      await steps.dialog.getByRole('combobox').fill(text);
    };

    it('a member calls about a receipt in quarantine: one search says what it is', async () => {
      await steps.seat.goTo('');
      await palette('R5-T-7');
      await steps.dialog.getByRole('option', { name: /^Record \d+/ }).waitFor();
      await steps.seat.page.keyboard.press('Enter');
      await steps.says(/minor/);
      await steps.says(/EUR.19\.50/);
      await steps.seat.goTo('members/coffee-club/m-7');
      await steps.says('Set aside in quarantine');
      await steps.main.getByRole('link', { name: /^Record \d+/ }).click();
      await steps.titled('Record');
      expect(steps.findings()).toEqual([]);
    });

    it('nothing found is said, and a beginning in another case finds', async () => {
      await steps.seat.goTo('');
      await palette('r5-nothing');
      await steps.says(/^Nothing is called r5-nothing/, steps.dialog);
      await steps.dialog.getByRole('combobox').fill('M-1');
      await steps.dialog
        .getByRole('option', { name: /^m-1 ?member of coffee-club/ })
        .first()
        .waitFor();
      expect(await steps.seat.accessibilityFindings()).toEqual([]);
    });

    it('30 of 600 from one till: Now names it, its records are one click away, and all are dealt with in few decisions', async () => {
      let decisions = 0;
      await steps.seat.goTo('');
      await steps.says(/30 records are set aside .*all from \/pos\/graz\/till-3.*EUR.585\.00 at stake/);
      await steps.main.getByRole('link', { name: 'See them' }).first().click();
      await steps.titled('Quarantine');
      await steps.says(/^30 open ones/);
      expect(await steps.seat.lookFindings()).toEqual([]);
      await steps.main.getByRole('link', { name: /^\d+$/ }).first().click();
      await steps.says(/1 of \d+ read/);
      await steps.main.getByRole('link', { name: 'Next', exact: true }).click();
      await steps.says(/2 of \d+ read/);
      await steps.seat.page.goBack();
      await steps.titled('Quarantine');
      const decide = async (name: string): Promise<void> => {
        decisions += 1;
        await steps.main.getByRole('button', { name, exact: true }).click();
      };
      await decide('Discard all of these');
      await steps.main.getByLabel(/^Why/).fill('the till is mended and sends them again');
      await decide('Look which they are');
      await steps.says('given up');
      await steps.main.getByLabel('How many').fill('30');
      await decide('Discard 30 records');
      await waitUntil(async () => (await openRecords()) === 0, { what: 'nothing set aside', ...soon });
      expect(decisions).toBeLessThanOrEqual(4);
      expect((await readLedger(fixture.harness.sandboxUrl)).filter(({ key }) => key?.startsWith('R5-T-'))).toEqual([]);
    });

    it('an access request: the member’s page exports what is recorded of them, and says what an erasure means', async () => {
      await steps.seat.goTo('members/coffee-club/m-1');
      await steps.open('Export');
      await steps.dialog.getByLabel('With everything personal').check();
      await steps.perform(/^Export m-1/, 'asked for by letter');
      await steps.says(/done|finished|complete/i);
      await steps.seat.goTo('members/coffee-club/m-1');
      await steps.open('Erase');
      await steps.says(/destroys the member’s key/, steps.dialog);
      expect(await steps.dialog.getByLabel('The member’s id', { exact: true }).count()).toBe(0);
      expect(steps.findings()).toEqual([]);
    });
  },
);
