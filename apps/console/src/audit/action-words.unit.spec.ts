import { actionWords, entryWords, targetOf } from './action-words.js';

const nothing = { intent: null, member: null, detail: null };

it('says what was done, also of actions that it does not know', () => {
  expect(actionWords('intent.replay')).toBe('had an intent sent again');
  expect(actionWords('export.cancel')).toBe('cancelled an export');
  expect(actionWords('moon.switch-off')).toBe('moon switch off');
});

it('says what was decided', () => {
  const of = (action: string, detail: object): string => entryWords({ action, detail: { ...detail } });
  expect(of('intent.resolve', { as: 'not-delivered' })).toBe('resolved an intent as not delivered');
  expect(of('intent.resolve', { as: 'delivered', force: true })).toBe('resolved an intent as delivered, by force');
  expect(of('intent.cancel', { notDelivered: true })).toBe('cancelled an intent as not delivered');
  expect(of('intent.correct', { changed: ['amount', 'attributes.store'] })).toBe('corrected amount, attributes.store');
  expect(of('intent.correct', { changed: ['a', 'b', 'c', 'd'] })).toBe('corrected a, b, c and more');
  expect(entryWords({ action: 'intent.replay', detail: null })).toBe('had an intent sent again');
});

it.each([
  [
    { ...nothing, action: 'intent.replay', intent: 'tea~1~2' },
    { kind: 'intent', id: 'tea~1~2' },
  ],
  [
    { ...nothing, action: 'member.unmask', member: { program: 'tea', memberId: '1' } },
    { kind: 'member', program: 'tea', memberId: '1' },
  ],
  [
    { ...nothing, action: 'quarantine.discard', detail: { quarantine: 70 } },
    { kind: 'record', id: '70' },
  ],
  [
    { ...nothing, action: 'export.start', detail: { job: 'x' } },
    { kind: 'job', jobKind: 'export', id: 'x' },
  ],
  [
    { ...nothing, action: 'replay.start', detail: { job: 'r' } },
    { kind: 'job', jobKind: 'replay', id: 'r' },
  ],
  [
    { ...nothing, action: 'pause.set', detail: { program: 'tea', operation: null } },
    { kind: 'text', text: 'tea' },
  ],
  [
    { ...nothing, action: 'programs.reload' },
    { kind: 'text', text: '' },
  ],
])('%j was done to %j', (entry, target) => {
  expect(targetOf(entry)).toEqual(target);
});
