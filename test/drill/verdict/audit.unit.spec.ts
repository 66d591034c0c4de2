import { wasAskedInVain } from './audit.js';

describe('parked as unknown', () => {
  it.each([
    [
      'sent again and refused for another reason',
      true,
      ['AttemptUnknown reset', 'ResendDecided', 'AttemptRejected refused'],
    ],
    ['answered with another transaction', true, ['AttemptUnknown answered-otherwise']],
    ['never sent again', false, ['AttemptUnknown reset']],
    ['sent again and refused as a duplicate', false, ['AttemptUnknown', 'ResendDecided', 'AttemptRejected duplicate']],
    ['sent again, and in doubt once more', false, ['AttemptUnknown', 'ResendDecided', 'AttemptUnknown reset']],
    ['refused without having been sent again', false, ['AttemptUnknown reset', 'AttemptRejected refused']],
  ])('%s: asked in vain is %s', (_, expected, answers) => {
    expect(wasAskedInVain({ answers })).toBe(expected);
  });
});
