import type { AuditPage } from '#contracts';
import { describeUnless } from '#test-support';

import { programsFile } from '../e2e/harness.js';
import { enrolled, granted, produce } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { ActionSteps } from './action-steps.js';
import { awaitStatus } from './troubled-traffic.js';

/** Whoever has it has the card. */
const cardAddress = /https?:\/\/[^\s"<]*\/passes\//;
const doubt = 'intents/coffee-club~m-1~2';

describeUnless(chromiumMissing, 'members with something in doubt', () => {
  let fixture: ConsoleFixture;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(
      programsFile.replace('inFlightMs: 2000', 'inFlightMs: 2000\n    onUnknown: { reward: park, issue: park }'),
    );
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, [enrolled('m-1')]);
    await awaitStatus(fixture, 'delivered', 1);
    await fixture.breakPartner({ operation: 'reward', kind: 'drop-after' }, { operation: 'issue', kind: 'drop-after' });
    await produce(broker, topics, [granted('m-1', 'g-1'), enrolled('m-2')]);
    await awaitStatus(fixture, 'parked', 2);
    await fixture.breakPartner();
  });

  afterAll(async () => {
    await fixture.close();
  });

  it('is not shown as at rest, and shows our view of the pass before the partner is asked', async () => {
    const steps = new ActionSteps(await fixture.sit());
    await steps.seat.goTo('members/coffee-club/m-1');
    await steps.says('1 intent is parked beside the queue, and needs a person');
    expect(await steps.main.getByText(/queue is at rest/).count()).toBe(0);
    const ours = steps.main.getByRole('region', { name: /^Our view of the pass/ });
    expect(await ours.innerText()).toMatch(/serialNumber\s+WS-\d+\s+not asked yet/);
    expect(steps.seat.takeFindings()).toEqual([]);
    await steps.seat.close();
  });

  it('shows the addresses of the card only to who asks and says why, for a minute, and not beside the partner’s', async () => {
    const steps = new ActionSteps(await fixture.sit());
    await steps.seat.page.clock.install();
    await steps.seat.goTo('members/coffee-club/m-1');
    const html = (): Promise<string> => steps.main.innerHTML();
    expect(await html()).not.toMatch(cardAddress);
    await steps.open('Ask the partner');
    await steps.perform('Ask the partner');
    await steps.main.getByRole('region', { name: /^Ours and the partner’s pass/ }).waitFor();
    await steps.says(/The partner’s answer proves nothing about this/);
    expect(await html()).not.toMatch(cardAddress);
    const [action, button] = ['Show the addresses of the card', 'Show the addresses of the card'];
    expect((await steps.open(button)).action).toBe(action);
    // Not without a reason.
    await steps.clickInVain(steps.button(action));
    expect(steps.takeSent()).toEqual([]);
    await steps.perform(action, 'she has lost it');
    expect(steps.takeSent()).toEqual(['POST /members/coffee-club/m-1/card-links']);
    await steps.main.getByText(cardAddress).first().waitFor();
    await steps.seat.page.clock.fastForward('01:02');
    await steps.main.getByRole('button', { name: button }).waitFor();
    expect(await html()).not.toMatch(cardAddress);
    const { items } = (await fixture.api('operator').get('/audit?action=member.card-links')).body as AuditPage;
    expect(items).toMatchObject([{ actor: 'operator', reason: 'she has lost it', member: { memberId: 'm-1' } }]);
    expect(steps.findings()).toEqual([]);
    await steps.seat.close();
  });

  it('shows the addresses of the card to no viewer, whose browser never gets them', async () => {
    const steps = new ActionSteps(await fixture.sit({ role: 'viewer' }));
    const answers: Promise<string>[] = [];
    steps.seat.page.on('response', (response) => {
      if (response.url().includes('/api/v1/members/')) answers.push(response.text());
    });
    await steps.seat.goTo('members/coffee-club/m-1');
    const button = steps.main.getByRole('button', { name: 'Show the addresses of the card' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await steps.clickInVain(button);
    expect(await steps.dialog.count()).toBe(0);
    expect(answers.length).toBeGreaterThan(0);
    for (const text of await Promise.all(answers)) expect(text).not.toMatch(cardAddress);
    expect(steps.takeSent()).toEqual([]);
    await steps.seat.close();
  });

  it('says of an enrolment in doubt that it is proven, and then that is the action to do', async () => {
    const steps = new ActionSteps(await fixture.sit());
    await steps.seat.goTo('intents/coffee-club~m-2~1');
    const mainOne = steps.main.locator('button[data-kind="main"]');
    expect(await mainOne.innerText()).toBe('Ask the partner');
    await steps.open('Ask the partner');
    await steps.perform('Ask the partner');
    await steps.says('The partner’s answer proves that it took effect');
    await steps.says('The partner shows the member’s pass.');
    expect(await mainOne.innerText()).toBe('Resolve as delivered');
    expect(steps.takeSent()).toEqual([]);
    expect(steps.findings()).toEqual([]);
    await steps.seat.close();
  });

  it.each(['desktop', 'phone'] as const)('can be read by everybody: %s', async (screen) => {
    const steps = new ActionSteps(await fixture.sit({ role: 'admin', screen }));
    const found: string[] = [];
    await steps.seat.goTo('members/coffee-club/m-1');
    found.push(...(await steps.seat.lookFindings()));
    await steps.open('Ask the partner');
    await steps.perform('Ask the partner');
    await steps.says(/The partner’s answer proves nothing about this/);
    found.push(...(await steps.seat.lookFindings()));
    await steps.seat.goTo(doubt);
    await steps.main.getByRole('button', { name: 'More', exact: true }).click();
    await steps.open('Ask the partner');
    await steps.perform('Ask the partner');
    await steps.says('The partner’s answer proves nothing about this');
    found.push(...(await steps.seat.lookFindings()));
    expect(found).toEqual([]);
    await steps.seat.close();
  });
});
