import { type ApprovalView, byUrgency, targetPage } from './approval-words.js';

it.each([
  ['forced-intent', '/intents/tea~m_1~7', { to: '/intents/$id', id: 'tea~m_1~7' }],
  ['forced-replay', '/replays/incident-7', { to: '/replays/$id', id: 'incident-7' }],
  ['erasure', '/erasures/1', null],
  ['personal-export', '/exports/1', null],
] as const)('%s of %s is seen at %j', (kind, target, page) => {
  expect(targetPage({ kind, target })).toEqual(page);
});

it('lists what waits first, the newest before', () => {
  const approval = (id: string, state: string, askedAt: string): ApprovalView =>
    ({ id, state, askedAt }) as ApprovalView;
  const list = [
    approval('old', 'approved', '2026-01-03T00:00:00Z'),
    approval('first', 'proposed', '2026-01-01T00:00:00Z'),
    approval('second', 'proposed', '2026-01-02T00:00:00Z'),
  ];
  expect(byUrgency(list).map(({ id }) => id)).toEqual(['second', 'first', 'old']);
});
