import fc from 'fast-check';

import { bulkCursorOf, bulkPlaceOf } from './quarantine-records.js';

const topic = fc.stringMatching(/^[\w.-]{1,249}$/);
const place = fc.record({ topic, partition: fc.nat(999_999_999), quarantineId: fc.integer({ min: 1 }) });

describe('where an action in bulk has come to', () => {
  it('comes back as it was told', () => {
    fc.assert(
      fc.property(place, (at) => {
        expect(bulkPlaceOf(bulkCursorOf(at))).toEqual(at);
      }),
    );
  });

  it.each(['', 'x', '....', Buffer.from('1.2.').toString('base64url'), Buffer.from('-1.2.t').toString('base64url')])(
    'is none of ours: %s',
    (text) => {
      expect(bulkPlaceOf(text)).toBeNull();
    },
  );
});
