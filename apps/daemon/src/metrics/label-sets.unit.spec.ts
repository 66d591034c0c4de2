import { closedLabel, codeLabel, currencyLabel, labelSets } from './label-sets.js';

describe('the values of labels', () => {
  it.each([
    ['applied', 'applied'],
    ['duplicate', 'duplicate'],
    ['timeout-before-send', 'timeout-before-send'],
    ['http-503', 'http-503'],
    ['http-599', 'http-5xx'],
    ['http-418', 'http-4xx'],
    ['http-302', 'http-3xx'],
    ['http-204-empty', 'http-2xx-unreadable'],
    ['http-200-not-json', 'http-2xx-unreadable'],
    ['unproven-200', 'http-2xx-unproven'],
    ['unproven-404', 'other'],
    ['foreign-pass', 'foreign-pass'],
    ['http-20', 'other'],
    ['http-5030', 'other'],
    ['Ada Lovelace has no pass', 'other'],
    ['', 'other'],
  ])('the code %j is told as %j', (code, label) => {
    expect(codeLabel(code)).toBe(label);
  });

  it.each(['no-token', 'send-window-missed', 'worker-lost', 'invalid-request'])(
    'the code %j is told as none: no call was made',
    (code) => {
      expect(codeLabel(code)).toBeNull();
    },
  );

  it('are so many codes at most, whatever statuses a partner makes up', () => {
    const statuses = Array.from({ length: 1_000 }, (_, status) => `http-${status}`);
    const bodies = ['-empty', '-not-json', '-other-json'].flatMap((body) => statuses.map((code) => `${code}${body}`));
    expect(new Set([...statuses, ...bodies].map(codeLabel)).size).toBe(14 + 9 + 1 + 1);
  });

  it('are `other` for what is in no set', () => {
    expect(closedLabel(labelSets.reason, 'invalid')).toBe('invalid');
    expect(closedLabel(labelSets.reason, 'm_81273')).toBe('other');
    expect(['EUR', 'JPY', 'XQQ', 'eur'].map(currencyLabel)).toEqual(['EUR', 'JPY', 'other', 'other']);
  });
});
