import { followUpOf } from './job-follow-up.js';
import { type Job, requestText, whyNotSteered } from './job-kinds.js';
import { msLeft, progressOf, progressText, reportFacts } from './job-progress.js';

const createdAt = '2026-11-26T12:00:00.000Z';
const nowMs = Date.parse('2026-11-26T12:01:00.000Z');
const job = (kind: Job['kind'], progress: Job['progress'], state: Job['state'] = 'running'): Job =>
  ({ kind, progress, state, createdAt }) as Job;

it.each([
  [job('reconciliation', { rows: 1_200, totalCount: 4_000 }), '1,200 of 4,000 passes listed'],
  [job('reconciliation', {}), '0 passes listed'],
  [job('provisioning', { steps: 4, created: 1, inPlace: 2, failed: 1 }), '3 of 4 steps'],
  [job('export', { intents: 2, events: 6 }), '8 lines counted'],
])('%j is %s', (one, text) => {
  expect(progressText(progressOf(one))).toBe(text);
});

describe('the time left', () => {
  it('is as the time so far', () => {
    expect(msLeft(job('adoption', { rows: 100, totalCount: 400 }), nowMs)).toBe(180_000);
  });

  it.each([
    job('adoption', { rows: 1, totalCount: 400 }),
    job('adoption', { rows: 400, totalCount: 400 }),
    job('adoption', { rows: 100, totalCount: 400 }, 'paused'),
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
  ).toBe('repair, status ACTIVE, select {"tier":2}');
});

it('lists the numbers of a report', () => {
  expect(reportFacts({ agrees: true, findings: { missingThere: 1_200 }, repaired: null, kept: ['x'] })).toEqual([
    { name: 'agrees', text: 'yes' },
    { name: 'findings: missing there', text: '1,200' },
  ]);
});

it.each([
  ['rereading', { dryRun: true }, { proven: 3 }, 'settle'],
  ['rereading', { dryRun: true }, { stillUnproven: 3 }, null],
  ['rereading', { dryRun: false }, { proven: 3 }, null],
  ['reconciliation', { repair: false }, { missingHere: 1 }, 'repair'],
  ['reconciliation', { repair: true }, { missingHere: 1 }, null],
  ['export', {}, {}, null],
] as const)('after %s %j with %j comes %s', (kind, request, progress, followUp) => {
  const done = { ...job(kind, progress, 'done'), request };
  expect(followUpOf(done)).toBe(followUp);
  expect(followUpOf({ ...done, state: 'running' })).toBeNull();
});
