import fc from 'fast-check';

import { maskedText } from '../masking/mask-personal.js';
import { ApiProblem } from '../problems/api-problem.js';
import { bulkCursorOf, bulkPlaceOf, toCorrection } from './quarantine.controller.js';

describe('a corrected record', () => {
  it('is kept as text, whatever form it was sent in', () => {
    expect(toCorrection({ value: { id: 'e-1' }, headers: { 'content-type': 'application/json' } })).toEqual({
      value: '{"id":"e-1"}',
      headersText: '{"content-type":"application/json"}',
    });
    expect(toCorrection({ key: 'm-1', value: 'as it is' })).toEqual({ key: 'm-1', value: 'as it is' });
  });

  // Copied from the page that shows the record, the mask would have been recorded and sent as the member's name.
  it.each([
    ['in a document', { value: { data: { person: { firstName: maskedText } } } }],
    ['in a text', { value: JSON.stringify({ data: { person: { firstName: maskedText } } }) }],
    ['in a header', { headers: { ce_source: maskedText } }],
  ])('is refused where it holds what stands for a masked value: %s', (_, sent) => {
    expect(() => toCorrection(sent)).toThrow(ApiProblem);
  });
});

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
