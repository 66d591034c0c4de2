import type { AuditPage, DialectView, IntentPage, JobList, JobView, MemberView } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { programsFile } from '../e2e/harness.js';
import { issueAtPartner, readLedger } from '../e2e/partner.js';
import { emission, enrolled, produce } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { ActionSteps } from './action-steps.js';
import { awaitStatus } from './troubled-traffic.js';

const provision = `
provision:
  brands:
    101: { name: Coffee, attributes: { birthday: { dataType: date } } }
  programs:
    coffee-club:
      templates: { Winter: { passType: GENERIC } }
`;
/** So many refusals pause it that none here does. */
const programs = (proof: string): string => `${programsFile}    autoPause: { sameRefusals: 1000000 }
    dialect: { schedule: { changeProperty: update }, success: { proof: { reward: ${proof} } } }
${provision}`;

const members = ['m-1', 'm-2', 'm-3'];
const golden = emission('members', 'member.enrolled', { id: 'e-gold', memberId: 'm-gold', tier: 'gold' });
/** Who had a pass before there was any of us. */
const old = Array.from({ length: 8 }, (_, index) => `old-${index}`);
const soon = { timeoutMs: 60_000 };
const failedRequest = /Failed to load resource/;

describeUnless(chromiumMissing, 'jobs that are looked at first and then done, through the screens', () => {
  let fixture: ConsoleFixture;
  let steps: ActionSteps;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs('documented'));
    await produce(fixture.harness.broker, fixture.harness.topics, [...members.map(enrolled), golden]);
    await awaitStatus(fixture, 'delivered', members.length + 1);
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

  const jobs = async (kind: string): Promise<JobList['items']> =>
    ((await fixture.api('admin').get(`/jobs?kind=${kind}`)).body as JobList).items;

  /** The newest of so many, once it has ended. */
  async function ended(kind: string, count: number): Promise<JobView> {
    return waitUntil(
      async () => {
        const all = await jobs(kind);
        return all.length === count && all[0]?.state === 'done' ? all[0] : undefined;
      },
      { what: `${count} ended of ${kind}`, ...soon },
    );
  }

  const shows = async ({ id }: JobView): Promise<void> => {
    await waitUntil(() => steps.seat.page.url().endsWith(`/${id}`), { what: `the page of ${id}`, ...soon });
    await steps.main.getByText('done', { exact: true }).first().waitFor();
  };
  const effects = async (operation: string): Promise<number> =>
    (await readLedger(fixture.harness.sandboxUrl)).filter((entry) => entry.operation === operation).length;

  async function begin(button: string, program = 'coffee-club'): Promise<void> {
    await steps.seat.goTo('jobs');
    await steps.open(button);
    if (program !== '') await steps.dialog.getByLabel('Program').selectOption(program);
  }

  it('rereading: what is proven by the dialect of now is settled, once, and nobody is called for it', async () => {
    await fixture.breakPartner({ operation: 'reward', kind: 'hollow', applies: true, wording: 0 });
    await produce(
      fixture.harness.broker,
      fixture.harness.topics,
      members.map((memberId) =>
        emission('rewards', 'reward.granted', { id: `g-${memberId}`, memberId, grantId: memberId, reward: 'sticker' }),
      ),
    );
    await awaitStatus(fixture, 'parked', members.length);
    await fixture.breakPartner();
    const rewards = await effects('reward');
    expect(rewards).toBe(members.length);

    await begin('Reread');
    await steps.button('Reread the answers of coffee-club, as a dry run').click();
    const before = await ended('reread', 1);
    await shows(before);
    expect(before.progress).toEqual({ read: members.length, stillUnproven: members.length });
    expect(await steps.main.getByRole('button', { name: 'Settle what is proven' }).count()).toBe(0);

    await fixture.harness.writePrograms(programs('object'));
    expect(await fixture.api('admin').post('/reload', { reason: 'a sticker is answered with {}' })).toMatchObject({
      status: 200,
    });
    await waitUntil(
      async () => {
        const { programs: told } = (await fixture.api('viewer').get('/dialect')).body as DialectView;
        return told.some(({ differs }) =>
          differs.some(({ path, value }) => path === 'success.proof.reward' && value === 'object'),
        );
      },
      { what: 'the new dialect to be in force', ...soon },
    );
    await begin('Reread');
    await steps.button('Reread the answers of coffee-club, as a dry run').click();
    const dryRun = await ended('reread', 2);
    await shows(dryRun);
    expect(dryRun.progress).toEqual({ read: members.length, proven: members.length });
    const parked = async (): Promise<IntentPage['items']> =>
      ((await fixture.api('viewer').get('/intents?status=parked')).body as IntentPage).items;
    expect(await parked()).toHaveLength(members.length);

    const told = await steps.open('Settle what is proven');
    expect(told).toMatchObject({
      action: 'Settle what is proven of coffee-club',
      figures: { 'intents, by the dry run': String(members.length) },
    });
    await steps.says(/^This cannot be undone: delivered stays delivered/, steps.dialog);
    await steps.clickInVain(steps.button('Settle what is proven of coffee-club'));
    await steps.says('Say why first.', steps.dialog);
    steps.takeSent();
    await steps.say('they all have their stickers');
    await steps.clickTwice(steps.button('Settle what is proven of coffee-club'));
    const settled = await ended('reread', 3);
    await shows(settled);
    expect(steps.takeSent()).toEqual(['POST /jobs']);
    expect(settled).toMatchObject({ reason: 'they all have their stickers', createdBy: 'operator' });
    expect(settled.progress).toEqual({ read: members.length, settled: members.length });
    expect(await parked()).toEqual([]);
    expect(await effects('reward')).toBe(rewards);
    const { items } = (await fixture.api('admin').get('/audit?action=reread.settle&limit=500')).body as AuditPage;
    expect(items).toHaveLength(members.length);
    // What it did is offered by no page once more.
    expect(await steps.main.getByRole('button', { name: 'Settle what is proven' }).count()).toBe(0);
    expect(steps.findings()).toEqual([]);
  });

  it('regression: whom a reconciliation finds and we never saw is led to by no link', async () => {
    await issueAtPartner(fixture.harness.sandboxUrl, old);
    await fixture
      .api('operator')
      .post('/jobs', { kind: 'reconcile', id: 'found', program: 'coffee-club', reason: 'monthly' });
    await ended('reconcile', 1);
    await steps.seat.goTo('jobs/reconcile/found');
    await steps.says('passes are of members whom we never saw');
    await steps.main.getByRole('button', { name: 'Read them' }).click();
    const table = steps.main.getByRole('grid', { name: 'What it found' });
    await table.getByText(old[0] ?? '', { exact: true }).waitFor();
    expect(await table.getByRole('link').count()).toBe(0);
    expect(steps.takeSent()).toEqual([]);
    expect(steps.findings()).toEqual([]);
  });

  it('whom it found and we did not know are taken over from its page, once', async () => {
    const action = 'Take over the members of coffee-club';
    await steps.seat.goTo('jobs/reconcile/found');
    const told = await steps.open('Take over whom we do not know');
    expect(told).toMatchObject({ action, figures: { 'members, by the look before': String(old.length) } });
    await steps.clickInVain(steps.button(action));
    await steps.says('Say why first.', steps.dialog);
    expect(steps.takeSent()).toEqual([]);
    await steps.say('the club is older than we are');
    await steps.clickTwice(steps.button(action));
    const adopted = await ended('reconcile', 2);
    await shows(adopted);
    expect(steps.takeSent()).toEqual(['POST /jobs']);
    const listed = members.length + 1 + old.length;
    expect(adopted.progress).toMatchObject({ rows: listed, adopted: old.length, matched: members.length + 1 });
    const one = (await fixture.api('viewer').get(`/members/coffee-club/${old[0]}`)).body as MemberView;
    expect(one).toMatchObject({ passKnown: 'known' });
    await steps.says(`The partner counts ${listed} passes, and listed as many.`);
    expect(steps.findings()).toEqual([]);
  });

  it('schedule: counted by a dry run, then made once at the partner, also where the answer gets lost', async () => {
    await begin('Schedule');
    const count = steps.button('Count for a schedule of coffee-club');
    const field = (label: string) => steps.dialog.getByLabel(label, { exact: true });
    for (const [why, label, text] of [
      ['Say when.', 'When, by this browser’s clock', '2099-01-01T09:00'],
      ['Say whose passes.', 'Tier number', 'gold'],
      ['Tier number: that is no whole number.', 'Tier number', '2'],
      ['Say why first.', 'New points', '7'],
    ] as const) {
      await steps.clickInVain(count);
      await steps.says(why, steps.dialog);
      await field(label).fill(text);
    }
    expect(steps.takeSent()).toEqual([]);
    await steps.say('gold weeks');
    await steps.clickTwice(count);
    const dryRun = await ended('schedule', 1);
    await shows(dryRun);
    expect(dryRun).toMatchObject({
      request: { dryRun: true, at: '2099-01-01T08:00:00.000Z', select: { tier: 2 }, change: { points: 7 } },
      report: { dryRun: true, selected: 1, request: { method: 'PATCH' } },
    });
    expect(await effects('schedule-update')).toBe(0);

    const told = await steps.open('Schedule this change');
    expect(told).toMatchObject({
      action: 'Schedule this change of coffee-club',
      figures: { 'passes that fit, by the dry run': '1' },
    });
    await steps.says(/^Nothing here takes a schedule back/, steps.dialog);
    steps.takeSent();
    await steps.loseAnswers(/\/jobs$/);
    await steps.say('gold weeks, as agreed');
    await steps.button('Schedule this change of coffee-club').click();
    await steps.says(/It may have been done/, steps.dialog);
    await steps.keepAnswers();
    // Who asks once more in the same dialog finds the one that was begun.
    await steps.button('Schedule this change of coffee-club').click();
    const made = await ended('schedule', 2);
    await shows(made);
    expect(made).toMatchObject({ report: { dryRun: false, result: 'scheduled', selected: 1 } });
    expect(await effects('schedule-update')).toBe(1);
    expect(steps.findings([failedRequest])).toEqual([]);
  });

  it('provisioning: planned, each step shown, set up by who says why, and nothing is left to plan', async () => {
    await begin('Provision', '');
    await steps.clickTwice(steps.button('Plan the provisioning'));
    const plan = await ended('provision', 1);
    await shows(plan);
    expect(steps.takeSent()).toEqual(['POST /jobs']);
    expect(plan.report).toMatchObject({ apply: false, plan: { update: 1, create: 2 } });
    const done = async (): Promise<readonly string[]> =>
      (await readLedger(fixture.harness.sandboxUrl))
        .map(({ operation }) => operation)
        .filter((operation) => /brand|template/.test(operation));
    expect(await done()).toEqual([]);

    const told = await steps.open('Set it up');
    expect(told).toMatchObject({
      action: 'Set up all that the file declares',
      figures: { 'steps, by this plan': '3' },
    });
    await waitUntil(async () => (await steps.foretold()).items.length === 3, { what: 'the steps', ...soon });
    expect((await steps.foretold()).items).toEqual([
      'update brand 101',
      'create brand-attribute birthday',
      'create template Winter',
    ]);
    await steps.say('a new season');
    await steps.clickTwice(steps.button('Set up all that the file declares'));
    const applied = await ended('provision', 2);
    await shows(applied);
    expect(steps.takeSent()).toEqual(['POST /jobs']);
    expect(applied).toMatchObject({ reason: 'a new season', progress: { created: 2, updated: 1, failed: 0 } });
    expect(await done()).toEqual(['update-brand', 'create-brand-attribute', 'create-template']);

    await begin('Provision', '');
    await steps.button('Plan the provisioning').click();
    await shows(await ended('provision', 3));
    expect(await steps.main.getByRole('button', { name: 'Set it up' }).count()).toBe(0);
    expect(steps.findings()).toEqual([]);
  });

  it('provisioning: a step of which nobody knows is said, with the command that says what became of it', async () => {
    const { harness } = fixture;
    const before = (await jobs('provision')).length;
    await harness.writePrograms(programs('object').replace('Winter:', 'Summer: { passType: GENERIC }, Winter:'));
    await fixture.api('admin').post('/reload', { reason: 'and a summer' });
    await fixture.breakPartner({ operation: 'create-template', kind: 'drop-after', sequence: [1] });
    await begin('Provision', '');
    await steps.button('Plan the provisioning').click();
    await shows(await ended('provision', before + 1));
    await steps.open('Set it up');
    await steps.say('and a summer');
    await steps.button('Set up all that the file declares').click();
    const applied = await ended('provision', before + 2);
    await shows(applied);
    await fixture.breakPartner();
    expect(applied).toMatchObject({ progress: { unknown: 1 } });
    const panel = steps.main.getByRole('region', { name: '1 step in doubt' });
    await panel.waitFor();
    expect(await panel.innerText()).toContain(`${fixture.url}/api/v1/provisioned/STEP/resolve`);
    expect(steps.findings()).toEqual([]);
  });

  it('are begun by who may, and the button says why not: also where an address asks for the dialog', async () => {
    const viewing = new ActionSteps(await fixture.sit({ role: 'viewer' }));
    await viewing.seat.goTo('jobs?begin=provision');
    expect(await viewing.dialog.count()).toBe(0);
    for (const name of ['New replay', 'Reread', 'Reconcile', 'Schedule', 'Provision', 'Export']) {
      const button = viewing.main.getByRole('button', { name, exact: true });
      expect([name, await button.getAttribute('title')]).toEqual([
        name,
        'This takes the role operator; yours is viewer.',
      ]);
    }
    expect(viewing.findings()).toEqual([]);
    await viewing.seat.close();
  });
});
