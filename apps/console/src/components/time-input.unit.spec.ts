import { inputText, momentOf } from './time-input.js';

it.each(['utc', 'local'] as const)('reads in %s what it wrote', (zone) => {
  expect(momentOf(inputText('2026-11-26T23:57:00.000Z', zone), zone)).toBe('2026-11-26T23:57:00.000Z');
});

it('writes minutes', () => {
  expect(inputText('2026-11-26T23:57:23.500Z', 'utc')).toBe('2026-11-26T23:57');
});

it.each(['', 'soon'])('takes %j for no time', (text) => {
  expect(momentOf(text, 'utc')).toBeNull();
  expect(inputText(text, 'utc')).toBe('');
});
