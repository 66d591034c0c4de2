import { createHash } from 'node:crypto';

import type { ApprovalList, ApprovalView, AuditPage, IntentDetails, JobList, ReplayView } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless, queryOnce } from '#test-support';

import { apiTokens } from '../e2e/api-client.js';
import { programsFile } from '../e2e/harness.js';
import { readLedger } from '../e2e/partner.js';
import { enrolled, produce, purchased } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { ConsolePage } from './console-page.js';
import { DeedSteps } from './deed-steps.js';
import { awaitStatus } from './troubled-traffic.js';

const programs = `${programsFile}    autoPause: { sameRefusals: 1000000 }\n`;
/** Refused; the first one so often that it takes force. */
const refused = ['often', 'many-1', 'many-2', 'many-3'] as const;
const erased = ['erase-1', 'erase-2'] as const;
const members = [...refused, ...erased];
const often = 'coffee-club~often~2';
const requeuesMax = 5;
const soon = { timeoutMs: 60_000 };
const failedRequest = /Failed to load resource/;

const secondToken = 'token-of-the-second-admin';
const second = `second:admin:${createHash('sha256').update(secondToken).digest('hex')}`;

describeUnless(chromiumMissing, 'what takes a second person, through the screens', () => {
  let fixture: ConsoleFixture;
  /** Two people at two machines. */
  let asking: DeedSteps;
  let approving: DeedSteps;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs, {
      ...{ OPS_TOKENS: `${apiTokens},${second}`, OPS_TWO_PERSONS: 'true', OPS_TWO_PERSONS_ERASURES: '1' },
    });
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', members.length);
    await fixture.breakPartner({ operation: 'transaction', kind: 'error-before', status: 422 });
    await produce(
      broker,
      topics,
      refused.map((memberId) => purchased(memberId, `${memberId}-p`)),
    );
    await awaitStatus(fixture, 'parked', refused.length);
    for (let time = 1; time <= requeuesMax; time += 1) {
      await fixture.api('operator').post(`/intents/${often}/replay`, { reason: 'once more' });
      await waitUntil(async () => (await intent()).attempts.length > time && (await intent()).status === 'parked', {
        what: `to come back ${time} times`,
        ...soon,
      });
    }
    await fixture.breakPartner();
  }, 240_000);

  beforeEach(async () => {
    asking = new DeedSteps(await fixture.sit({ role: 'admin' }));
    approving = new DeedSteps(await ConsolePage.open(fixture.browser, fixture.url, { token: secondToken }));
  });

  afterEach(async () => {
    await Promise.all([asking.seat.close(), approving.seat.close()]);
  });

  afterAll(async () => {
    await fixture.close();
  }, 60_000);

  async function intent(): Promise<IntentDetails> {
    return (await fixture.api('viewer').get(`/intents/${often}`)).body as IntentDetails;
  }

  const approvals = async (): Promise<readonly ApprovalView[]> =>
    ((await fixture.api('admin').get('/approvals')).body as ApprovalList).items;
  const waiting = async (): Promise<readonly ApprovalView[]> =>
    (await approvals()).filter(({ state }) => state === 'proposed');
  const jobs = async (path: string): Promise<JobList['items']> =>
    ((await fixture.api('admin').get(path)).body as JobList).items;
  const purchases = async (): Promise<number> =>
    (await readLedger(fixture.harness.sandboxUrl)).filter(({ operation }) => operation === 'transaction').length;

  async function only(found: readonly ApprovalView[]): Promise<ApprovalView> {
    expect(found).toHaveLength(1);
    const [one] = found;
    if (one === undefined) throw new Error('nothing waits');
    return one;
  }

  /** Asks for an export with everything personal, which waits then. */
  async function askForExport(reason: string): Promise<ApprovalView> {
    await asking.seat.goTo('jobs');
    await asking.open('Export');
    await asking.dialog.getByLabel('With everything personal').check();
    await asking.says(/A second admin must approve it first/, asking.dialog);
    await asking.say(reason);
    await asking.button('Begin an export with personal data').click();
    await asking.says(/Nothing is done yet\. Another admin must approve it/, asking.dialog);
    await asking.dialog.getByRole('button', { name: 'Close' }).click();
    return only(await waiting());
  }

  it('on the page of the intent, and of its member: who asks what, why and until when; withdrawn there by who asked', async () => {
    const page = `intents/${encodeURIComponent(often)}`;
    await asking.seat.goTo(page);
    await asking.open('Replay');
    await asking.dialog.getByLabel(/Insist.*Another admin must approve that/).check();
    await asking.say('shown where it is about');
    await asking.button('Replay this intent').click();
    await asking.says(/Nothing is done yet/, asking.dialog);
    await asking.dialog.getByRole('button', { name: 'Close' }).click();
    const { id } = await only(await waiting());

    // Whoever has the page open sees it, who asked and who comes by.
    const waits = (steps: DeedSteps) =>
      steps.main.getByRole('region', { name: 'Waits for a second person: Force an intent' });
    for (const path of [page, 'members/coffee-club/often']) {
      await approving.seat.goTo(path);
      const facts = (await waits(approving).locator('dl').innerText()).replaceAll(/\s*\n\s*/g, '|');
      expect(facts).toMatch(
        /^What\|Replay it by force: it is sent once more\.\|Asked by\|admin\|Why\|shown where it is about\|/,
      );
      expect(facts).toMatch(/\|Lapses\|.+, in \d+ min$/);
      // Which intent is said where it is not the page's own.
      expect(await waits(approving).getByRole('link').allInnerTexts()).toEqual(
        path === page ? [] : [`/intents/${often}`],
      );
      expect(await waits(approving).getByRole('button').allInnerTexts()).toEqual(
        expect.arrayContaining(['Look and approve', 'Refuse']),
      );
    }
    const viewing = new DeedSteps(await fixture.sit({ role: 'viewer' }));
    await viewing.seat.goTo(page);
    const locked = waits(viewing).getByRole('button', { name: 'Look and approve' });
    expect(await locked.getAttribute('title')).toBe('This takes the role admin; yours is viewer.');
    await viewing.seat.goTo('intents/coffee-club~many-1~2');
    expect(await waits(viewing).count()).toBe(0);
    expect(viewing.findings()).toEqual([]);
    await viewing.seat.close();

    const own = waits(asking).getByRole('button', { name: 'Look and approve' });
    expect(await own.getAttribute('title')).toBe('You have asked for it: another admin must approve it.');
    await asking.open('Withdraw', waits(asking));
    await asking.perform('Withdraw: force an intent', 'only to be looked at');
    await waits(asking).waitFor({ state: 'detached' });
    await waits(approving).waitFor({ state: 'detached' });
    expect((await approvals()).find((one) => one.id === id)).toMatchObject({ state: 'withdrawn', settledBy: 'admin' });
    expect(await intent()).toMatchObject({ status: 'parked' });
    expect([...asking.findings(), ...approving.findings()]).toEqual([]);
  });

  it('a forced replay of one: waits, is not approved by who asked, and is sent once by who approves', async () => {
    await asking.seat.goTo(`intents/${encodeURIComponent(often)}`);
    await asking.open('Replay');
    await asking.dialog.getByLabel(/Insist.*Another admin must approve that/).check();
    await asking.say('the partner has mended it');
    await asking.button('Replay this intent').click();
    await asking.says(/Nothing is done yet\. Another admin must approve it/, asking.dialog);
    const approval = await only(await waiting());
    await asking.says(approval.id, asking.dialog);
    expect(await intent()).toMatchObject({ status: 'parked' });

    await asking.seat.goTo('approvals');
    const own = asking.main.getByRole('button', { name: 'Look and approve' });
    expect(await own.getAttribute('title')).toBe('You have asked for it: another admin must approve it.');
    await asking.clickInVain(own);
    expect(await asking.dialog.count()).toBe(0);

    await approving.seat.goTo(`intents/${encodeURIComponent(often)}`);
    await approving.open('Look and approve');
    await approving.says(/admin asked for it: “the partner has mended it”/, approving.dialog);
    await approving.says(approval.digest, approving.dialog);
    await approving.clickTwice(approving.button('Approve: force an intent'));
    await approving.announces('It is approved, and done.');
    await waitUntil(async () => (await intent()).status === 'delivered', { what: 'it to be delivered', ...soon });
    expect(approving.takeSent()).toEqual([`POST /approvals/${approval.id}/approve`]);
    await approving.main.getByText('delivered', { exact: true }).first().waitFor();
    expect(await approving.main.getByRole('button', { name: 'Look and approve' }).count()).toBe(0);
    expect(await purchases()).toBe(1);
    const { items } = (await fixture.api('admin').get('/audit?action=intent.replay&limit=1')).body as AuditPage;
    expect(items).toMatchObject([{ actor: 'admin', detail: { approval: approval.id, approvedBy: 'second' } }]);
    await asking.says(/approved by second/);
    expect([...asking.findings(), ...approving.findings()]).toEqual([]);
  });

  it('a forced replay of many: what was frozen when it was asked for is sent when it is approved', async () => {
    const before = await purchases();
    await asking.seat.goTo('replays/new');
    await asking.main.getByLabel(/force/i).first().check();
    await asking.main.getByLabel('Why').fill('all of them, at last');
    await asking.main.getByRole('button', { name: 'Look what would be sent' }).click();
    await asking.says('All 3 will be sent once more. All of those were refused before');
    await asking.main.getByRole('button', { name: 'Replay 3 intents' }).click();
    await asking.says(/Nothing is done yet\. Another admin must approve it/);
    const approval = await only(await waiting());
    const id = approval.target.replace('/replays/', '');
    expect(await purchases()).toBe(before);

    // One of those that it sends says so.
    await approving.seat.goTo('intents/coffee-club~many-2~2');
    await approving.main.getByRole('region', { name: 'Waits for a second person: Force a replay' }).waitFor();
    await approving.main.getByRole('link', { name: approval.target }).click();
    await approving.says('All 3 will be sent once more.');
    await approving.seat.goTo('approvals');
    await approving.open('Look and approve');
    await approving.perform('Approve: force a replay');
    await waitUntil(
      async () => ((await fixture.api('viewer').get(`/replays/${id}`)).body as ReplayView).state === 'done',
      { what: 'the replay to be done', ...soon },
    );
    expect(await purchases()).toBe(before + 3);
    expect([...asking.findings(), ...approving.findings()]).toEqual([]);
  });

  it('refused: nothing is begun, and who asked sees who said no, and why', async () => {
    const { id } = await askForExport('for the auditors');
    await approving.seat.goTo('approvals');
    await approving.open('Refuse');
    await approving.perform('Refuse: export with personal data', 'the auditors want no names');
    expect((await approvals()).find((one) => one.id === id)).toMatchObject({ state: 'refused', settledBy: 'second' });
    expect(await jobs('/exports')).toEqual([]);
    await asking.seat.goTo('approvals');
    await asking.says(/refused by second.*: the auditors want no names/);
    expect([...asking.findings(), ...approving.findings()]).toEqual([]);
  });

  it('withdrawn while somebody is about to approve it: that one is told, and nothing is begun', async () => {
    const { id } = await askForExport('not needed any more');
    await approving.seat.goTo('approvals');
    await approving.open('Look and approve');
    await asking.seat.goTo('approvals');
    await asking.open('Withdraw');
    await asking.perform('Withdraw: export with personal data', 'asked in vain');
    await approving.button('Approve: export with personal data').click();
    await approving.says('It is withdrawn.', approving.dialog);
    await approving.dialog.getByRole('button', { name: 'Leave it' }).click();
    await approving.says(/withdrawn by admin/);
    expect((await approvals()).find((one) => one.id === id)).toMatchObject({ state: 'withdrawn' });
    expect(await jobs('/exports')).toEqual([]);
    expect([...asking.findings(), ...approving.findings([failedRequest])]).toEqual([]);
  });

  it('lapsed: nobody can approve it any more, and that it lapsed is shown', async () => {
    const { id } = await askForExport('nobody looks in time');
    await approving.seat.goTo('approvals');
    await approving.open('Look and approve');
    await queryOnce(
      fixture.harness.database.ownerUrl,
      `UPDATE approval SET asked_at = asked_at - interval '2 hours', until = now() - interval '1 second' WHERE approval_id = '${id}'`,
    );
    await approving.button('Approve: export with personal data').click();
    await approving.says('It is lapsed.', approving.dialog);
    await approving.dialog.getByRole('button', { name: 'Leave it' }).click();
    await approving.main.getByRole('button', { name: 'Look and approve' }).waitFor({ state: 'detached' });
    await approving.main.getByText('lapsed', { exact: true }).first().waitFor();
    expect(await jobs('/exports')).toEqual([]);
    expect([...asking.findings(), ...approving.findings([failedRequest])]).toEqual([]);
  });

  it('a lost answer of an approval: it may have been done, and it was, once', async () => {
    const { id } = await askForExport('the answer gets lost');
    await approving.seat.goTo('approvals');
    await approving.loseAnswers(/\/approve$/);
    await approving.open('Look and approve');
    await approving.button('Approve: export with personal data').click();
    await approving.says(/It may have been done/, approving.dialog);
    await approving.dialog.getByRole('button', { name: 'Leave it' }).click();
    await approving.says(/approved by second/);
    expect(approving.takeSent()).toEqual([`POST /approvals/${id}/approve`]);
    expect(await jobs('/exports')).toHaveLength(1);
    expect(approving.findings([failedRequest])).toEqual([]);
  });

  it('erasures: the first one is done by one person, one more within the day waits for a second', async () => {
    const erase = async (memberId: string): Promise<void> => {
      await asking.seat.goTo('jobs');
      await asking.main.getByRole('button', { name: 'Erase a member' }).click();
      await asking.dialog.getByLabel('Program').selectOption('coffee-club');
      await asking.dialog.getByLabel('The member’s id', { exact: true }).fill(memberId);
      await asking.dialog.getByLabel('The member’s id, typed once more').fill(memberId);
      await asking.say('asked for by letter');
      await asking.button(`Erase ${memberId} for good`).click();
    };
    await erase('erase-1');
    await asking.titled('Erasure');
    await asking.says('done');
    await erase('erase-2');
    await asking.says(/Nothing is done yet/, asking.dialog);
    expect(await jobs('/erasures')).toHaveLength(1);
    await approving.seat.goTo('members/coffee-club/erase-2');
    await approving.says('Waits for a second person: Erase a member');
    await approving.open('Look and approve');
    await approving.perform('Approve: erase a member');
    const isErased = async (): Promise<boolean> =>
      ((await fixture.api('viewer').get('/members/coffee-club/erase-2')).body as { isErased?: boolean }).isErased ===
      true;
    await waitUntil(isErased, { what: 'the member to be erased', ...soon });
    expect(await jobs('/erasures')).toHaveLength(2);
    expect([...asking.findings(), ...approving.findings()]).toEqual([]);
  });

  it('is not for an operator: what waits is shown, with why it is not theirs', async () => {
    await askForExport('to be looked at');
    const steps = new DeedSteps(await fixture.sit());
    await steps.seat.goTo('approvals');
    const button = steps.main.getByRole('button', { name: 'Look and approve' }).first();
    expect(await button.getAttribute('title')).toBe('This takes the role admin; yours is operator.');
    await steps.says('to be looked at');
    expect(steps.findings()).toEqual([]);
    await steps.seat.close();
  });
});
