import { createHash } from 'node:crypto';

import type { GroupList, IntentPage, JobList, PauseList, QuarantinePage } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { describeUnless } from '#test-support';

import type { Role } from '../e2e/api-client.js';
import { apiTokens, tokenOf } from '../e2e/api-client.js';
import { programsFile } from '../e2e/harness.js';
import { emission, produce } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { ConsolePage } from './console-page.js';
import { ActionSteps } from './action-steps.js';
import { makeTroubles } from './troubled-traffic.js';

/** The same once more under another name and number, whose members nobody else may see. */
const bookClub = programsFile
  .replace(/^\s*programs:\n/, '')
  .replace('coffee-club', 'book-club')
  .replace('"2001"', '"2002"');
const programs = `${programsFile}${bookClub}`;
/** What only somebody may see who may see `book-club`. */
const secrets = ['book-club', 'reader-1', 'for the readers'];

const limitedRoles = ['operator', 'admin'] as const;
const limitedToken = (role: Role): string => `limited-${role}-token`;
const limitedTokens = limitedRoles
  .map((role) => {
    const digest = createHash('sha256').update(limitedToken(role)).digest('hex');
    return `limited-${role}:${role}:${digest}:coffee-club`;
  })
  .join(',');
/** May know of both programs, and of no other that may come. */
const severalToken = 'several-programs-token';
const several = `several:operator:${createHash('sha256').update(severalToken).digest('hex')}:coffee-club+book-club`;
const allTokens = `${apiTokens},${limitedTokens},${several}`;

const screens = [
  '',
  'intents',
  'failures',
  'jobs?kind=replay',
  'jobs/replay/new',
  'quarantine',
  'pauses',
  'jobs',
  'audit',
  'settings',
];

/** An action on each screen that has any, and what it takes. */
const actions = [
  { path: 'pauses', name: /^Pause/, needs: 'operator' },
  { path: 'jobs', name: 'Reconcile', needs: 'operator' },
  { path: 'jobs', name: 'Erase a member', needs: 'admin' },
  { path: 'quarantine?from=2020-01-01T00:00:00Z', name: 'Discard all of these', needs: 'operator' },
] as const;

describeUnless(chromiumMissing, 'what each role sees of the console', () => {
  let fixture: ConsoleFixture;
  let daemon: RunningProcess;
  let readOnly: RunningProcess;
  /** Of what there is to look at, beside the screens. */
  let details: string[] = [];
  let ofOthers: string[] = [];

  const urlOf = ({ ready }: RunningProcess): string => String(ready['operations']);

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs);
    [daemon, readOnly] = await Promise.all([
      fixture.harness.startDaemon({ OPS_TOKENS: allTokens }),
      fixture.harness.startDaemon({ OPS_TOKENS: allTokens, OPS_READ_ONLY: 'true' }),
    ]);
    const { broker, topics } = fixture.harness;
    await makeTroubles(fixture);
    await produce(broker, topics, [
      emission('members', 'member.enrolled', {
        id: 'e-reader-1',
        memberId: 'reader-1',
        program: 'book-club',
        pass: {},
      }),
    ]);
    const admin = fixture.api('admin');
    const one = async (query: string): Promise<IntentPage['items'][number]> =>
      waitUntil(async () => ((await admin.get(`/intents?limit=1&${query}`)).body as IntentPage).items[0], {
        what: query,
        timeoutMs: 60_000,
      });
    const [ours, theirs] = [await one('status=parked&program=coffee-club'), await one('program=book-club')];
    const paused = { program: 'book-club', operation: 'transaction', reason: 'for the readers' };
    const replay = (id: string, program: string): object => ({
      ...{ kind: 'replay', id, query: { status: 'parked', program } },
      ...{ reason: 'to be looked at', dryRun: true },
    });
    for (const [path, body] of [
      ['/pauses', paused],
      ['/jobs', replay('ours', 'coffee-club')],
      ['/jobs', replay('theirs', 'book-club')],
    ] as const) {
      const { status, body: said } = await admin.post(path, body);
      if (status >= 300) throw new Error(`${path}: ${JSON.stringify(said)}`);
    }
    const { items: groups } = (await admin.get('/groups')).body as GroupList;
    const { items: records } = (await admin.get('/quarantine?limit=1')).body as QuarantinePage;
    const { program, operation, status, reason, code, fingerprint } = groups.find(
      (group) => group.program === 'coffee-club',
    ) ?? { program: '' };
    const group = [program, operation, status, reason, code, fingerprint].map((part) => encodeURIComponent(part ?? ''));
    details = [
      `intents/${encodeURIComponent(ours.id)}`,
      `members/coffee-club/${encodeURIComponent(ours.memberId)}`,
      `failures?group=${encodeURIComponent(group.join('~'))}`,
      'jobs/replay/ours',
      `quarantine/${records[0]?.id ?? ''}`,
    ];
    ofOthers = [`intents/${encodeURIComponent(theirs.id)}`, 'members/book-club/reader-1', 'jobs/replay/theirs'];
  });

  afterAll(async () => {
    await fixture.close();
  });

  const sit = (at: RunningProcess, token: string): Promise<ConsolePage> =>
    ConsolePage.open(fixture.browser, urlOf(at), { token });

  /** Opens each, and tells what was refused, what went wrong, and which requests were no mere look. */
  async function openAll(seat: ConsolePage, paths: readonly string[]): Promise<Record<string, readonly string[]>> {
    const [findings, texts] = [new Map<string, string[]>(), new Map<string, string>()];
    let path = '';
    const note = (text: string): void => void findings.set(path, [...(findings.get(path) ?? []), text]);
    seat.page.on('response', (response) => {
      const { pathname, search } = new URL(response.url());
      if (response.status() >= 400) note(`${response.status()} ${pathname}${search}`);
    });
    seat.page.on('request', (request) => {
      if (request.method() !== 'GET') note(`${request.method()} ${request.url()}`);
    });
    for (path of paths) {
      await seat.goTo(path);
      texts.set(path, await seat.page.locator('body').innerText());
      seat.takeFindings().forEach(note);
    }
    shown = texts;
    return Object.fromEntries(findings);
  }
  let shown: ReadonlyMap<string, string> = new Map();

  // Whatever is read by itself takes the role viewer: `libs/operations/src/api.int.spec.ts`.
  it('nothing is refused, and nothing done, by opening any screen as viewer', async () => {
    const seat = await sit(daemon, tokenOf('viewer'));
    expect(await openAll(seat, [...screens, ...details])).toEqual({});
    await seat.close();
  });

  it('nothing is refused to a token of one program, nothing of another shown, and nothing done by opening any screen as admin', async () => {
    const seat = await sit(daemon, limitedToken('admin'));
    expect(await openAll(seat, [...screens, ...details])).toEqual({});
    const told = [...shown].flatMap(([path, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${path}: ${secret}`),
    );
    expect(told).toEqual([]);
    for (const text of shown.values()) expect(text).toContain('You see coffee-club only');
    expect(shown.get('quarantine')).toContain('your token is limited to coffee-club');
    await seat.close();
  });

  it('another program’s things are answered like what is not there', async () => {
    const whole = await sit(daemon, tokenOf('viewer'));
    await openAll(whole, ofOthers);
    for (const text of shown.values()) expect(secrets.some((secret) => text.includes(secret))).toBe(true);
    await whole.close();
    const limited = await sit(daemon, limitedToken('admin'));
    for (const path of ofOthers) {
      await limited.page.goto(`${urlOf(daemon)}/${path}`);
      await limited.page.locator('main [role="alert"]').first().waitFor({ timeout: 30_000 });
      const text = await limited.page.locator('main').innerText();
      expect(text).not.toContain('for the readers');
      expect(limited.takeFindings().filter((finding) => !finding.includes('404'))).toEqual([]);
    }
    await limited.close();
  });

  it.each([
    { role: 'viewer', may: [] },
    { role: 'operator', may: ['operator'] },
  ] as const)('actions that $role may not do stand there with the reason', async ({ role, may }) => {
    const seat = await sit(daemon, tokenOf(role));
    for (const { path, name, needs } of actions) {
      await seat.goTo(path);
      const action = seat.page.locator('main').getByRole('button', { name }).first();
      const isAllowed = may.some((each) => each === needs);
      expect([path, await action.getAttribute('aria-disabled')]).toEqual([path, String(!isAllowed)]);
      if (!isAllowed) {
        expect(await action.getAttribute('title')).toBe(`This takes the role ${needs}; yours is ${role}.`);
        await action.click({ force: true });
        await seat.page.locator(':popover-open', { hasText: `This takes the role ${needs}` }).waitFor();
        await seat.page.keyboard.press('Escape');
        await seat.page.locator(':popover-open').waitFor({ state: 'detached' });
        expect(await seat.page.getByRole('dialog').count()).toBe(0);
      }
    }
    expect(seat.takeFindings()).toEqual([]);
    await seat.close();
  });

  it('nobody may do anything where the daemon is read-only, and every screen says so', async () => {
    const seat = await sit(readOnly, tokenOf('admin'));
    expect(await openAll(seat, details)).toEqual({});
    for (const text of shown.values()) expect(text).toContain('Read-only: this daemon lets nobody change anything');
    for (const { path, name } of actions) {
      await seat.goTo(path);
      const action = seat.page.locator('main').getByRole('button', { name }).first();
      expect(await action.getAttribute('title')).toBe('This daemon is read-only (OPS_READ_ONLY).');
    }
    await seat.close();
  });

  it('regression: a finger that presses what it may not do, or a keyboard that comes to it, is told why', async () => {
    const reason = 'This takes the role operator; yours is viewer.';
    const url = urlOf(daemon);
    const phone = await ConsolePage.open(fixture.browser, url, { token: tokenOf('viewer'), screen: 'phone' });
    await phone.goTo('pauses');
    const words = phone.page.locator(':popover-open');
    await phone.page.locator('main').getByRole('button', { name: 'Pause', exact: true }).tap({ force: true });
    await words.waitFor();
    expect(await words.innerText()).toBe(reason);
    expect(await phone.widthBeyond()).toBe(0);
    expect(await phone.accessibilityFindings()).toEqual([]);
    await phone.page.locator('main h1').tap();
    await words.waitFor({ state: 'detached' });
    expect(phone.takeFindings()).toEqual([]);
    await phone.close();

    const desk = await sit(daemon, tokenOf('viewer'));
    await desk.goTo('pauses');
    await desk.page.locator('#main').focus();
    await desk.page.keyboard.press('Tab');
    await desk.page.locator(':popover-open', { hasText: reason }).waitFor();
    await desk.page.keyboard.press('Tab');
    await desk.page.locator(':popover-open').waitFor({ state: 'detached' });
    expect(desk.takeFindings()).toEqual([]);
    await desk.close();
  });

  it('what is of all programs is not begun by who may know of some: the button says why', async () => {
    const steps = new ActionSteps(await sit(daemon, limitedToken('admin')));
    await steps.seat.goTo('jobs?begin=provision');
    expect(await steps.dialog.count()).toBe(0);
    const button = steps.main.getByRole('button', { name: 'Provision', exact: true });
    expect(await button.getAttribute('title')).toBe('It is of all programs; your token is limited to coffee-club.');
    await steps.clickInVain(button);
    expect(await steps.dialog.count()).toBe(0);
    expect(steps.findings()).toEqual([]);
    await steps.seat.close();
  });

  describe('what would be of every program', () => {
    const optionsOf = (steps: ActionSteps): Promise<string[]> =>
      steps.dialog.getByLabel('Program').locator('option').allInnerTexts();
    const pauses = async (): Promise<PauseList['items']> =>
      ((await fixture.api('admin').get('/pauses')).body as PauseList).items;

    // It was offered, and answered with 400: a token of several programs must name one.
    it('is not offered to a token of several: they are told to choose one before anything is sent', async () => {
      const steps = new ActionSteps(await sit(daemon, severalToken));
      const before = await pauses();
      await steps.seat.goTo('pauses');
      await steps.open('Pause');
      expect(await optionsOf(steps)).toEqual(['Choose one', 'book-club', 'coffee-club']);
      await steps.say('to be looked at');
      await steps.clickInVain(steps.button('Pause'));
      await steps.says(/^Choose a program first: your token is limited to /, steps.dialog);
      expect(steps.takeSent()).toEqual([]);
      await steps.dialog.getByLabel('Program').selectOption('book-club');
      await steps.says('Choose an operation first.', steps.dialog);
      await steps.dialog.getByLabel('Operation').selectOption('Every operation');
      await steps.perform('Pause everything of book-club');
      expect(await pauses()).toHaveLength(before.length + 1);
      await fixture.api('admin').delete('/pauses', { program: 'book-club' });

      await steps.seat.goTo('jobs');
      await steps.open('Export');
      expect(await optionsOf(steps)).toEqual(['Choose one', 'book-club', 'coffee-club']);
      await steps.clickInVain(steps.button('Begin an export'));
      await steps.says(/^Choose a program first/, steps.dialog);
      await steps.dialog.getByLabel('Program').selectOption('coffee-club');
      await steps.button('Begin an export').click();
      await steps.titled('Export');
      const { items } = (await fixture.api('admin').get('/jobs?kind=export')).body as JobList;
      expect(items).toMatchObject([{ program: 'coffee-club', createdBy: 'several' }]);

      await steps.seat.goTo('jobs/replay/new');
      await steps.main.getByLabel(/^Why/).fill('to be looked at');
      await steps.clickInVain(steps.main.getByRole('button', { name: 'Preview' }));
      await steps.says(/^Narrow it down to one program first: your token is limited to /);
      expect(steps.takeSent()).toEqual(['POST /pauses', 'POST /jobs']);
      expect(steps.findings()).toEqual([]);
      await steps.seat.close();
    });

    it('is their own program to a token of one, and says so', async () => {
      const steps = new ActionSteps(await sit(daemon, limitedToken('operator')));
      await steps.seat.goTo('pauses');
      const told = await steps.open('Pause');
      expect(told).toMatchObject({ action: 'Pause', figures: {} });
      expect(await optionsOf(steps)).toEqual(['coffee-club']);
      await steps.dialog.getByLabel('Operation').selectOption('Every operation');
      await steps.perform('Pause everything of coffee-club', 'to be looked at');
      expect(await pauses()).toContainEqual(
        expect.objectContaining({ program: 'coffee-club', operation: null, by: 'limited-operator' }),
      );
      await fixture.api('admin').delete('/pauses', { program: 'coffee-club' });
      expect(steps.findings()).toEqual([]);
      await steps.seat.close();
    });

    it('is not lifted by who may know of some only: the button says why', async () => {
      await fixture.api('admin').post('/pauses', { operation: 'reward', reason: 'for everybody' });
      const steps = new ActionSteps(await sit(daemon, severalToken));
      await steps.seat.goTo('pauses');
      const resume = steps.main.getByRole('button', { name: 'Resume rewards of every program' });
      expect(await resume.getAttribute('title')).toMatch(/^It holds every program; your token is limited to /);
      await steps.clickInVain(resume);
      expect(await steps.dialog.count()).toBe(0);
      await fixture.api('admin').delete('/pauses', { operation: 'reward' });
      expect(steps.findings()).toEqual([]);
      await steps.seat.close();
    });
  });
});
