import { UnknownNames } from './unknown-names.js';

const refusal = (message: string, status = 400): Parameters<typeof UnknownNames.from>[0] => ({
  status,
  body: { message },
  problems: [],
});

describe('how a partner speaks of unknown names', () => {
  it.each([
    [
      'filters: Unrecognized key: "zzContract"; name: Required',
      'Unrecognized key: "pageSize"',
      'pageSize: must be a number',
    ],
    [
      'property zzContract should not exist, name must be a string',
      'Bad request: property pageSize should not exist',
      'property pageSize must be a number',
    ],
    ['Unknown parameter zzContract.', 'Unknown parameter pageSize.', 'Unknown value of parameter pageSize.'],
  ])('%s', (control, unknown, known) => {
    const names = UnknownNames.from(refusal(control));
    expect(names.isSpoken).toBe(true);
    expect(names.refuses('pageSize', refusal(unknown))).toBe(true);
    expect(names.refuses('pageSize', refusal(known))).toBe(false);
    expect(names.refuses('page', refusal(unknown))).toBe(false);
  });

  it.each([refusal('Bad request'), refusal('zzContract taken', 200), refusal('zzContract', 500)])(
    'cannot be learned from %j',
    (seen) => {
      const names = UnknownNames.from(seen);
      expect(names.isSpoken).toBe(false);
      expect(names.refuses('zzContract', refusal('zzContract'))).toBe(false);
    },
  );
});
