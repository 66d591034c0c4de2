import type { AuditPage, IntentDetails } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { programsFile } from '../e2e/harness.js';
import { type LedgerEntry, readLedger } from '../e2e/partner.js';
import { enrolled, granted, produce, purchased } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { ActionSteps } from './action-steps.js';
import { awaitStatus } from './troubled-traffic.js';

/** Refused purchases, one for each action. */
const refused = ['replay', 'twice', 'lost', 'faster', 'cancel', 'correct', 'force', 'unmask'] as const;
/** Rewards of which nobody knows whether the partner has them. */
const doubtful = ['doubt-cancel', 'doubt-again', 'doubt-there'] as const;
type Member = (typeof refused)[number] | (typeof doubtful)[number];

/** The partner has to refuse everybody here, more than once. */
const programs = `${programsFile}    autoPause: { sameRefusals: 1000000 }\n`;
const soon = { timeoutMs: 60_000 };
/** The daemon refuses to put back more often without force. */
const requeuesMax = 5;
const idOf = (memberId: Member): string => `coffee-club~${memberId}~2`;
const failedRequest = /Failed to load resource/;

describeUnless(chromiumMissing, 'each action on an intent, through the screens', () => {
  let fixture: ConsoleFixture;
  let steps: ActionSteps;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs);
    const { broker, topics } = fixture.harness;
    const members = [...refused, ...doubtful];
    await produce(broker, topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', members.length);
    await fixture.breakPartner(
      { operation: 'transaction', kind: 'error-before', status: 422 },
      { operation: 'reward', kind: 'drop-before' },
    );
    const [cancelled, again, there] = doubtful;
    const purchases = refused.map((memberId) => purchased(memberId, `${memberId}-p`));
    await produce(broker, topics, [...purchases, granted(cancelled, cancelled), granted(again, again)]);
    await awaitStatus(fixture, 'parked', refused.length + 2);
    await comeBackOften('force');
    await fixture.breakPartner({ operation: 'reward', kind: 'drop-after' });
    await produce(broker, topics, [granted(there, there)]);
    await awaitStatus(fixture, 'parked', members.length);
    await fixture.breakPartner();
  });

  afterAll(async () => {
    await fixture.close();
  });

  const read = async (memberId: Member): Promise<IntentDetails> =>
    (await fixture.api('viewer').get(`/intents/${idOf(memberId)}`)).body as IntentDetails;

  const awaitIntent = async (memberId: Member, status: IntentDetails['status']): Promise<IntentDetails> =>
    waitUntil(
      async () => {
        const intent = await read(memberId);
        return intent.status === status ? intent : undefined;
      },
      { what: `${memberId} to be ${status}`, ...soon },
    );

  /** Put back, and refused again, as often as the daemon lets anybody. */
  async function comeBackOften(memberId: Member): Promise<void> {
    for (let time = 1; time <= requeuesMax; time += 1) {
      const answer = await fixture.api('operator').post(`/intents/${idOf(memberId)}/replay`, { reason: 'once more' });
      expect(answer.status).toBe(200);
      await waitUntil(
        async () => {
          const { status, attempts } = await read(memberId);
          return status === 'parked' && attempts.length > time;
        },
        { what: `${memberId} to come back ${time} times`, ...soon },
      );
    }
  }

  /** What took effect at the partner for that member, enrolments aside. */
  async function effectsOf(memberId: Member): Promise<readonly LedgerEntry[]> {
    const entries = await readLedger(fixture.harness.sandboxUrl);
    return entries.filter(({ uniqueId, operation }) => uniqueId === memberId && operation !== 'issue');
  }

  const eventsOf = ({ events }: IntentDetails, type: string): IntentDetails['events'] =>
    events.filter((event) => event.type === type);

  async function sit(memberId: Member, role: 'operator' | 'admin' = 'operator'): Promise<ActionSteps> {
    steps = new ActionSteps(await fixture.sit({ role }));
    await steps.seat.goTo(`intents/${encodeURIComponent(idOf(memberId))}`);
    return steps;
  }

  /** What is rarely right stands behind it. */
  const more = async (): Promise<void> => steps.main.getByRole('button', { name: 'More', exact: true }).click();

  afterEach(async () => {
    await steps.seat.close();
  });

  it('in doubt: the partner is asked on the spot, and what it proves stands there, never more than that', async () => {
    await sit('doubt-there');
    const mainOne = steps.main.locator('button[data-kind="main"]');
    expect(await mainOne.innerText()).toBe('Ask the partner');
    await steps.open('Ask the partner');
    await steps.perform('Ask the partner', 'before it is settled');
    await steps.says('The partner’s answer proves nothing about this');
    await steps.says(/Points before the attempt: not known; now: -10; it takes 10\./);
    expect(await effectsOf('doubt-there')).toHaveLength(1);
    expect(steps.takeSent()).toEqual([]);
    expect(steps.findings()).toEqual([]);
  });

  it('replay: says what it will send, and sends it once', async () => {
    const before = await effectsOf('replay');
    await sit('replay');
    const told = await steps.open('Replay');
    expect(told.figures).toEqual({ intent: '1', members: '1', money: 'EUR 12.50' });
    expect(told.items).toEqual([expect.stringMatching(/^coffee-club~replay~2, purchase: POST \/\S+$/)]);
    // It began at the list, where what is typed goes nowhere.
    expect(await steps.seat.page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    await steps.clickInVain(steps.button('Replay this intent'));
    await steps.says('Say why first.', steps.dialog);
    expect(steps.takeSent()).toEqual([]);
    await steps.perform('Replay this intent', 'the partner has mended it');
    await steps.announces('It will be sent once more');
    const intent = await awaitIntent('replay', 'delivered');
    expect(eventsOf(intent, 'IntentReplayed')).toMatchObject([
      { data: { by: 'operator', reason: 'the partner has mended it' } },
    ]);
    expect(await effectsOf('replay')).toHaveLength(before.length + 1);
    await steps.says('Nothing more: the partner has it');
    expect(steps.takeSent()).toEqual([`POST /intents/${idOf('replay')}/replay`]);
    expect(steps.findings()).toEqual([]);
  });

  it('two clicks before the page shows the first one do it once', async () => {
    await sit('twice');
    await steps.open('Replay');
    await steps.say('clicked twice');
    await steps.clickTwice(steps.button('Replay this intent'));
    await steps.dialog.waitFor({ state: 'detached' });
    const intent = await awaitIntent('twice', 'delivered');
    expect(steps.takeSent()).toEqual([`POST /intents/${idOf('twice')}/replay`]);
    expect(eventsOf(intent, 'IntentReplayed')).toHaveLength(1);
    expect(await effectsOf('twice')).toHaveLength(1);
    expect(steps.findings()).toEqual([]);
  });

  it('a lost answer: says that it may have been done, sends nothing again, and the page shows what came of it', async () => {
    await sit('lost');
    await steps.loseAnswers(/\/replay$/);
    await steps.open('Replay');
    await steps.say('the answer gets lost');
    await steps.button('Replay this intent').click();
    await steps.says(/Nothing is sent again by itself/, steps.dialog);
    await steps.says(/Whether it received the request is not known\. Read its story/, steps.dialog);
    const intent = await awaitIntent('lost', 'delivered');
    await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
    await steps.says('Nothing more: the partner has it');
    expect(steps.takeSent()).toEqual([`POST /intents/${idOf('lost')}/replay`]);
    expect(eventsOf(intent, 'IntentReplayed')).toHaveLength(1);
    expect(await effectsOf('lost')).toHaveLength(1);
    expect(steps.findings([failedRequest])).toEqual([]);
  });

  it('somebody else was faster: says so, does nothing, and the page shows how it stands', async () => {
    await sit('faster');
    await steps.open('Replay');
    await steps.say('too late');
    const other = await fixture
      .api('operator')
      .post(`/intents/${idOf('faster')}/cancel`, { reason: 'the other one is faster' });
    expect(other.status).toBe(200);
    await steps.button('Replay this intent').click();
    await steps.says(/Somebody, or a later record, settled it meanwhile/, steps.dialog);
    expect(await steps.dialog.getByText(/It may have been done/).count()).toBe(0);
    await steps.dialog.getByRole('button', { name: 'Leave it' }).click();
    await steps.says(/will not be sent/);
    expect(eventsOf(await read('faster'), 'IntentReplayed')).toEqual([]);
    expect(await effectsOf('faster')).toEqual([]);
    expect(steps.findings([failedRequest])).toEqual([]);
  });

  it('cancel, by keys alone', async () => {
    await sit('cancel');
    const { page } = steps.seat;
    await more();
    await steps.main.getByRole('button', { name: 'Cancel this purchase', exact: true }).focus();
    await page.keyboard.press('Enter');
    await steps.dialog.waitFor();
    expect((await steps.foretold()).figures).toEqual({ intent: '1', members: '1', money: 'EUR 12.50' });
    await steps.dialog.getByLabel('Why').focus();
    await page.keyboard.type('the shop took it back');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await steps.dialog.waitFor({ state: 'detached' });
    const intent = await awaitIntent('cancel', 'cancelled');
    expect(eventsOf(intent, 'IntentCancelled')).toMatchObject([
      { data: { by: 'operator', reason: 'the shop took it back' } },
    ]);
    expect(await effectsOf('cancel')).toEqual([]);
    expect(steps.takeSent()).toEqual([`POST /intents/${idOf('cancel')}/cancel`]);
    expect(steps.findings()).toEqual([]);
  });

  it('cancel of what is in doubt: only with the word that it was not delivered', async () => {
    await sit('doubt-cancel');
    await more();
    await steps.open('Cancel this reward');
    await steps.say('looked at the partner');
    await steps.clickInVain(steps.button('Cancel this reward'));
    await steps.says('Say first that you have looked.', steps.dialog);
    expect(steps.takeSent()).toEqual([]);
    await steps.dialog.getByLabel(/I have looked, and the partner does not have it/).check();
    await steps.perform('Cancel this reward');
    await awaitIntent('doubt-cancel', 'cancelled');
    expect(await effectsOf('doubt-cancel')).toEqual([]);
    expect(steps.findings()).toEqual([]);
  });

  it('resolve as delivered: counts so, and is not sent again', async () => {
    const before = await effectsOf('doubt-there');
    expect(before).toHaveLength(1);
    await sit('doubt-there');
    await steps.open('Resolve as delivered');
    await steps.dialog.getByLabel(/I have looked, and the partner has it/).check();
    await steps.perform('Resolve as delivered', 'it is there');
    const intent = await awaitIntent('doubt-there', 'delivered');
    expect(eventsOf(intent, 'IntentResolved')).toMatchObject([{ data: { as: 'delivered', by: 'operator' } }]);
    expect(await effectsOf('doubt-there')).toEqual(before);
    expect(steps.findings()).toEqual([]);
  });

  it('resolve as not delivered: is sent once more', async () => {
    expect(await effectsOf('doubt-again')).toEqual([]);
    await sit('doubt-again');
    await steps.open('Resolve as not delivered');
    await steps.dialog.getByLabel(/I have looked, and the partner does not have it/).check();
    await steps.perform('Resolve as not delivered, and send again', 'it is not there');
    await awaitIntent('doubt-again', 'delivered');
    expect(await effectsOf('doubt-again')).toHaveLength(1);
    expect(steps.findings()).toEqual([]);
  });

  it('correct and send again: shows what changes, and the partner gets that', async () => {
    const corrected = '2026-11-20T09:30:00.000Z';
    await sit('correct');
    await steps.open('Correct');
    const editor = steps.dialog.getByLabel('What the partner is to be sent');
    const command = JSON.parse(await editor.inputValue()) as Readonly<Record<string, unknown>>;
    await editor.fill(JSON.stringify({ ...command, transactionDate: corrected }, null, 2));
    const changes = await steps.dialog.getByRole('region', { name: 'What changes' }).innerText();
    expect(changes).toContain('transactionDate');
    expect(changes).toContain(JSON.stringify(corrected));
    await steps.perform('Correct this intent', 'the till’s clock was wrong');
    await steps.announces('Corrected: transactionDate');
    expect(eventsOf(await awaitIntent('correct', 'parked'), 'IntentCorrected')).toHaveLength(1);
    expect(await effectsOf('correct')).toEqual([]);
    await steps.open('Replay');
    await steps.perform('Replay this intent', 'with the right time');
    await awaitIntent('correct', 'delivered');
    const [effect, ...others] = (await effectsOf('correct')) as readonly (LedgerEntry & { readonly body: unknown })[];
    expect(others).toEqual([]);
    expect(JSON.stringify(effect?.body)).toContain(corrected.slice(0, 19));
    expect(steps.findings()).toEqual([]);
  });

  it('forced replay: an operator cannot insist, an admin can', async () => {
    await sit('force');
    await steps.open('Replay');
    expect(await steps.dialog.getByLabel(/Insist/).count()).toBe(0);
    await steps.say('without insisting');
    await steps.button('Replay this intent').click();
    await steps.says(/An admin may insist/, steps.dialog);
    expect(steps.findings([failedRequest])).toEqual([]);
    await steps.seat.close();
    await sit('force', 'admin');
    await steps.open('Replay');
    await steps.dialog.getByLabel(/Insist/).check();
    await steps.perform('Replay this intent', 'the partner has mended it at last');
    const intent = await awaitIntent('force', 'delivered');
    expect(eventsOf(intent, 'IntentReplayed')).toHaveLength(requeuesMax + 1);
    expect(await effectsOf('force')).toHaveLength(1);
    expect(steps.findings()).toEqual([]);
  });

  it('unmask: an admin who says why sees what is personal for a minute; the audit keeps it', async () => {
    const personal = 'unmask@example.org';
    steps = new ActionSteps(await fixture.sit({ role: 'admin' }));
    await steps.seat.page.clock.install();
    await steps.seat.goTo(`intents/${encodeURIComponent('coffee-club~unmask~1')}`);
    const html = (): Promise<string> => steps.main.innerHTML();
    expect(await html()).not.toContain(personal);
    await steps.open('Unmask');
    await steps.perform('Show what is personal', 'the member asks on the phone');
    await steps.says(/What is personal is shown for a minute/);
    await waitUntil(async () => (await html()).includes(personal), { what: 'the address to be shown', ...soon });
    const { items } = (await fixture.api('admin').get('/audit?action=member.unmask')).body as AuditPage;
    expect(items).toMatchObject([{ actor: 'admin', reason: 'the member asks on the phone' }]);
    await steps.seat.page.clock.fastForward('01:02');
    await steps.main.getByRole('button', { name: 'Unmask', exact: true }).waitFor();
    expect(await html()).not.toContain(personal);
    expect(steps.findings()).toEqual([]);
  });

  it('unmask: is not for an operator', async () => {
    await sit('unmask');
    const button = steps.main.getByRole('button', { name: 'Unmask', exact: true });
    expect(await button.getAttribute('title')).toBe('This takes the role admin; yours is operator.');
    await steps.clickInVain(button);
    expect(await steps.dialog.count()).toBe(0);
    expect(steps.takeSent()).toEqual([]);
  });
});
