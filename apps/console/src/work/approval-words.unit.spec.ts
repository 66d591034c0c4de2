import { approvalAsks, type ApprovalView, byUrgency, targetPage } from './approval-words.js';

it.each([
  ['forced-intent', '/intents/tea~m_1~7', { to: '/intents/$id', id: 'tea~m_1~7' }],
  ['forced-replay', '/replays/incident-7', { to: '/replays/$id', id: 'incident-7' }],
  ['erasure', '/erasures/1', null],
  ['personal-export', '/exports/1', null],
] as const)('%s of %s is seen at %j', (kind, target, page) => {
  expect(targetPage({ kind, target })).toEqual(page);
});

it.each([
  ['forced-intent', { action: 'replay', as: null }, 'Replay it by force: it is sent once more.'],
  ['forced-intent', { action: 'resolve', as: 'delivered' }, 'Resolve it as delivered, by force.'],
  ['forced-intent', { as: 'not-delivered' }, 'Resolve it as not delivered, and send it again, by force.'],
  ['forced-replay', { ratePerSecond: 7 }, 'Send once more all that the replay has selected.'],
  ['personal-export', { from: null, to: null }, 'Export what was recorded, unmasked.'],
  ['personal-export', { from: '2026-11-01', to: null }, 'Export what was recorded from 2026-11-01, unmasked.'],
  ['erasure', { memberId: 'm_1' }, 'Erase the member m_1 for good.'],
] as const)('%s of %j asks: %s', (kind, request, words) => {
  expect(approvalAsks({ kind, request })).toBe(words);
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
