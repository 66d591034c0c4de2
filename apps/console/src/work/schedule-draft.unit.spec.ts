import { readSchedule } from './schedule-draft.js';

const nowMs = Date.parse('2026-11-27T09:00:00Z');
const at = '2026-12-24T08:00:00.000Z';
const whole = { at, select: { tier: '2' }, change: { points: '7.5', message: ' A coffee ' } };

it('reads what is typed as the API takes it: empty fields are not said', () => {
  expect(readSchedule({ ...whole, select: { tier: '2', status: '', group: '  ' } }, nowMs)).toEqual({
    kind: 'whole',
    schedule: { at, select: { tier: 2 }, change: { points: 7.5, message: 'A coffee' } },
  });
  expect(readSchedule({ ...whole, change: {} }, nowMs)).toEqual({
    kind: 'whole',
    schedule: { at, select: { tier: 2 } },
  });
});

it.each([
  [{ at: null }, 'Say when.'],
  [{ at: '2026-11-27T09:00:00Z' }, 'That time has passed.'],
  [{ select: {} }, 'Say whose passes.'],
  [{ select: { tier: 'gold' } }, 'Tier number: that is no whole number.'],
  [{ change: { points: 'many' } }, 'New points: that is no number.'],
  [
    { select: { memberId: 'm-1' } },
    'A message to one member is personal, and would be kept in the clear: have it sent as an event.',
  ],
])('says what is missing or wrong before anything is sent: %j', (change, why) => {
  expect(readSchedule({ ...whole, ...change }, nowMs)).toEqual({ kind: 'missing', why });
});
