import { agreementText, findingsOf, listingText, told } from './job-counts.js';
import { followUpsOf } from './job-follow-up.js';
import { isOfStranger, restText } from './job-line-words.js';
import { type Job, whyNotSteered } from './job-kinds.js';
import { msLeft, progressOf, progressText, reportFacts, requestText } from './job-progress.js';

const createdAt = '2026-11-26T12:00:00.000Z';
const nowMs = Date.parse('2026-11-26T12:01:00.000Z');
const job = (kind: Job['kind'], progress: Job['progress'], state: Job['state'] = 'running'): Job =>
  ({ kind, progress, state, createdAt }) as Job;

it.each([
  [job('reconcile', { rows: 1_200, totalCount: 4_000 }), '1,200 of 4,000 passes listed'],
  [job('reconcile', {}), '0 passes listed'],
  [job('provision', { steps: 4, created: 1, inPlace: 2, failed: 1 }), '3 of 4 steps'],
  [{ ...job('provision', { steps: 4, created: 0 }), request: { apply: false } }, '4 steps planned'],
  [job('export', { intents: 2, events: 6 }), '8 lines counted'],
  [job('reread-topic', { offsets: 90, offsetsRead: 40, missed: 2 }), '40 of 90 offsets read'],
])('%j is %s', (one, text) => {
  expect(progressText(progressOf(one))).toBe(text);
});

describe('the time left', () => {
  it('is as the time so far', () => {
    expect(msLeft(job('reconcile', { rows: 100, totalCount: 400 }), nowMs)).toBe(180_000);
  });

  it.each([
    job('reconcile', { rows: 1, totalCount: 400 }),
    job('reconcile', { rows: 400, totalCount: 400 }),
    job('reconcile', { rows: 100, totalCount: 400 }, 'paused'),
    job('export', { intents: 100 }),
  ])('is not known: %j', (one) => {
    expect(msLeft(one, nowMs)).toBeNull();
  });
});

it('says what cannot be done to a job', () => {
  expect(whyNotSteered({ state: 'failed' }, 'resume')).toBeNull();
  expect(whyNotSteered({ state: 'done' }, 'cancel')).toBe('It is done.');
});

it('says what was asked for', () => {
  expect(
    requestText({ request: { repair: true, status: 'ACTIVE', from: null, dryRun: false, select: { tier: 2 } } }),
  ).toBe('repair, status ACTIVE, select tier 2');
});

describe('what a job has counted', () => {
  const reconciled = (progress: Job['progress'], more: Partial<Job> = {}): Job => ({
    ...job('reconcile', { rows: 267, totalCount: 267, pages: 1, ...progress }, 'done'),
    ...{ request: { repair: false }, report: { agrees: true, isPartial: false } },
    ...more,
  });
  const lines = (one: Job): readonly string[] => told(one).some.map(({ count, text }) => `${count} ${text}`);

  it('says first what needs somebody, and what it asks for; that both listings are as long is no agreement', () => {
    const one = reconciled({ matched: 243, inFlux: 1, unknownMember: 24, differing: 5, missingHere: 0 });
    expect(lines(one)).toEqual([
      '5 passes differ from what we sent last',
      '24 passes are of members whom we never saw',
      '243 passes are known on both sides',
      '1 of those is not compared: something of the member was just under way',
    ]);
    expect(findingsOf(one)).toBe(29);
    expect(agreementText(one)).toBeNull();
    expect(told(one).some[1]).toMatchObject({ next: expect.stringMatching(/^They can be taken over/) as string });
    expect(told(one).none).toContain('members have a pass there that we do not know');
    expect(listingText(one)).toEqual({ text: 'The partner counts 267 passes, and listed as many.', isWhole: true });
  });

  it('agrees where nothing is found, as far as could be compared', () => {
    expect(agreementText(reconciled({ matched: 3 }))).toBe('Both sides agree: there is nothing to do.');
    expect(agreementText(reconciled({ matched: 3, inFlux: 3 }))).toBe('Of all that could be compared nothing differs.');
    expect(agreementText({ ...reconciled({ matched: 3 }), state: 'cancelled' })).toBeNull();
  });

  it('says of an end also that there was nothing', () => {
    expect(lines({ ...job('schedule', {}, 'done'), request: {} })).toEqual(['0 passes fit now']);
  });

  it('warns where the listing is shorter than the partner counts, and says that only a part was read', () => {
    const report = { agrees: false, isPartial: true };
    const { text, isWhole } = listingText(reconciled({ rows: 260 }, { report })) ?? {};
    expect(isWhole).toBe(false);
    expect(text).toMatch(/^The partner counts 267 passes and listed 260: .* Only that part of the listing was read/);
  });

  it('offers no repair of what a repair has been at', () => {
    const repaired = (progress: Job['progress']): Job => reconciled(progress, { request: { repair: true } });
    expect(findingsOf(repaired({ missingThere: 2, issuedAnew: 2 }))).toBe(0);
    const [one] = told(repaired({ missingThere: 2, issuedAnew: 1 })).some;
    expect(one).toMatchObject({ count: 1, next: 'They could not be issued anew: the lines say why.' });
  });

  it.each([
    [{ apply: false, plan: { create: 2, 'in-place': 1 } }, ['2 steps make something new', '1 thing is as declared']],
    [{ apply: true, plan: { create: 2 } }, ['1 step is refused', '1 thing is made']],
  ])('of a provisioning is the plan, or what became of it: %j', (report, texts) => {
    const progress = { steps: 3, created: report.apply ? 1 : 0, refused: report.apply ? 1 : 0, failed: 1 };
    expect(lines({ ...job('provision', progress, 'done'), request: {}, report })).toEqual(texts);
  });

  it('names a count of a later version as the API does', () => {
    expect(lines(reconciled({ matched: 1, seenTwice: 2 }))).toEqual(['1 pass is known on both sides', '2 seen twice']);
  });
});

it.each([
  [
    { kind: 'differing', memberId: 'm-1', paths: ['passdata.tier', 'passdata.group'] },
    'in passdata.tier, passdata.group',
  ],
  [{ kind: 'missing-there', memberId: 'm-1', repair: null }, ''],
  [{ kind: 'unknown-member', memberId: 'm-1', passId: '100044' }, 'pass 100044'],
  [
    { line: 'step', kind: 'template', path: 'a.b', name: 'Winter', step: 3, action: 'create', detail: 'Not made yet.' },
    'create; Not made yet.; path a.b; step 3',
  ],
])('of a line, %j, says what matters first: %s', (line, text) => {
  expect(restText(line)).toBe(text);
});

it.each([
  [{ kind: 'unknown-member', memberId: 'm-1' }, true],
  [{ kind: 'duplicate-there', memberId: 'm-1', isKnown: false }, true],
  [{ kind: 'duplicate-there', memberId: 'm-1' }, false],
  [{ kind: 'differing', memberId: 'm-1', paths: [] }, false],
])('regression: %j is of nobody who has a page: %s', (line, isStranger) => {
  expect(isOfStranger(line)).toBe(isStranger);
});

it('lists the numbers of a report', () => {
  expect(reportFacts({ agrees: true, findings: { missingThere: 1_200 }, repaired: null, kept: ['x'] })).toEqual([
    { name: 'agrees', text: 'yes' },
    { name: 'findings: missing there', text: '1,200' },
  ]);
});

it.each([
  ['reread', { dryRun: true }, { proven: 3 }, ['settle']],
  ['reread', { dryRun: true }, { stillUnproven: 3 }, []],
  ['reread', { dryRun: false }, { proven: 3 }, []],
  ['reconcile', { repair: false }, { missingHere: 1 }, ['repair']],
  ['reconcile', { repair: true }, { missingHere: 1 }, []],
  ['reconcile', { repair: false }, { missingHere: 1, unknownMember: 1 }, ['repair', 'adopt']],
  ['reconcile', { repair: false, adopt: false }, { unknownMember: 1 }, ['adopt']],
  ['reconcile', { adopt: true }, { unknownMember: 1 }, []],
  ['reread-topic', { dryRun: true }, { missed: 1 }, ['record']],
  ['reread-topic', { dryRun: true }, { knownByPlace: 1, differs: 1 }, []],
  ['reread-topic', { dryRun: false }, { quarantined: 1 }, []],
  ['export', {}, {}, []],
] as const)('after %s %j with %j comes %s', (kind, request, progress, followUps) => {
  const done = { ...job(kind, progress, 'done'), request };
  expect(followUpsOf(done)).toEqual(followUps);
  expect(followUpsOf({ ...done, state: 'running' })).toEqual([]);
});
