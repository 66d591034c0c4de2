import { at, atMs, attempt, event, intent } from './intent-fixture.js';
import { storyOf as storySeen } from './story.js';

const storyOf = (of: Parameters<typeof storySeen>[0], seen: Partial<Parameters<typeof storySeen>[1]> = {}) =>
  storySeen(of, { timeZone: 'utc', isPaused: false, ...seen });

it('begins with what happened and how it was routed', () => {
  const [happened, recorded, routed] = storyOf(intent());
  expect(happened).toMatchObject({ title: 'loyalty.purchase.completed.v1', afterMs: null });
  expect(recorded).toMatchObject({ title: 'Recorded from loyalty.purchases/1@32', afterMs: 2_000 });
  expect(recorded?.words).toBe('The broker has it since 2026-11-27 09:59:59.000 UTC, 1.0 s after it happened.');
  expect(routed?.words).toBe(
    'By programs.coffee-club.purchases.completed in the programs file abababababab: posts a purchase (transaction).',
  );
});

it('says when the broker has it in the zone that is chosen, and milliseconds where it is no second', () => {
  const { route } = intent();
  const after1Ms = intent({ route: { ...route, brokerAt: at(-1_999) } });
  expect(storyOf(after1Ms)[1]?.words).toBe(
    'The broker has it since 2026-11-27 09:59:58.001 UTC, 1 ms after it happened.',
  );
  const local = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' }).format(atMs(-1_999));
  expect(storyOf(after1Ms, { timeZone: 'local' })[1]?.words).toContain(`${local}.001 `);
});

it('says that evidence is looked for only while it is', () => {
  const doubt = event('AttemptUnknown', 3_000, { attempt: 1, data: { code: 'reset', checkAt: atMs(9_000) } });
  const unknown = intent({ status: 'unknown', events: [doubt] });
  expect(storyOf(unknown).at(-1)?.words).toBe('Evidence is looked for.');
  expect(storyOf(unknown, { isPaused: true }).at(-1)?.words).toBe('It is paused: no evidence is looked for.');
  expect(storyOf({ ...unknown, status: 'parked' }).at(-1)?.words).toBe('Evidence had to be looked for.');
});

it('says where another programs file is in force than that which routed it', () => {
  const { route } = intent();
  const words = (change: object): string => storyOf(intent({ route: { ...route, ...change } }))[2]?.words ?? '';
  expect(words({ isInForce: false })).toContain('Another file is in force now');
  expect(words({ rule: null })).toMatch(/^By the program coffee-club in the programs file/);
});

it('shows an attempt once, from its begin to its end, and the doubt that it leaves', () => {
  const story = storyOf(
    intent({
      events: [
        event('AttemptBegun', 1_000, { attempt: 1 }),
        event('AttemptUnknown', 3_000, { attempt: 1, data: { code: 'reset' } }),
        event('VerifiedApplied', 8_000, { attempt: 1, data: { evidence: 'points' } }),
      ],
      attempts: [attempt({ begunAt: at(1_000), endedAt: at(3_000), outcome: 'AttemptUnknown', code: 'reset' })],
    }),
  );
  expect(story.slice(3).map(({ title, tone, afterMs }) => [title, tone, afterMs])).toEqual([
    ['Attempt 1', 'doubt', 1_000],
    ['Nobody knows whether it took effect', 'doubt', 0],
    ['Evidence: it took effect', 'good', 5_000],
  ]);
});

it('shows an attempt that is under way', () => {
  const events = [event('AttemptBegun', 10, { attempt: 1 })];
  expect(storyOf(intent({ events, attempts: [attempt({})] })).at(-1)?.words).toBe('It is under way.');
});

it('says who did what, why, and because of which record', () => {
  const cause = { topic: 'loyalty.purchases', partition: 1, offset: 40 };
  const events = [
    event('IntentReplayed', 5, { data: { by: 'ada', reason: 'mended', overtaken: 2 } }),
    event('IntentCancelled', 9, { data: { by: 'source-event', reason: 'voided', cause } }),
  ];
  const [replayed, cancelled] = storyOf(intent({ events })).slice(3);
  expect(replayed).toMatchObject({ said: { by: 'ada', reason: 'mended' } });
  expect(replayed?.words).toContain('2 later intents');
  expect(cancelled?.words).toBe('The record loyalty.purchases/1@40.');
});

it('shows by its name what it has no words for', () => {
  expect(storyOf(intent({ events: [event('SomethingNew', 1)] })).at(-1)?.title).toBe('SomethingNew');
});
