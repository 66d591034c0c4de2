import fc from 'fast-check';
import { decodeSourceRecord } from './source-events.js';
import { headersOf, headersText } from './core/record-headers.js';
import type { HeaderItem, HeaderValue } from './core/source-record.js';

const item = fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' }), fc.constant(null));
const headers = fc.dictionary(fc.string(), fc.oneof(item, fc.array(item, { minLength: 1, maxLength: 3 })));

/** Text and its bytes are the same header. */
function bytesOf(value: HeaderItem): string | null {
  return value === null ? null : Buffer.from(value as Uint8Array).toString('hex');
}

function hexOf(value: HeaderValue): unknown {
  if (value === undefined) return null;
  return Array.isArray(value) ? value.map(bytesOf) : bytesOf(value as HeaderItem);
}

describe('the headers of a record as text', () => {
  it('lose nothing, whatever their bytes', () => {
    fc.assert(
      fc.property(headers, (given) => {
        const back = headersOf(headersText(given));
        expect(Object.keys(back)).toEqual(Object.keys(given));
        for (const name of Object.keys(given)) expect(hexOf(back[name])).toEqual(hexOf(given[name]));
      }),
    );
  });

  it('say what they say where they are text', () => {
    expect(headersText({ ce_id: Buffer.from('e-1'), twice: [Buffer.from('a'), 'b'] })).toBe(
      '{"ce_id":"e-1","twice":["a","b"]}',
    );
    expect(headersText(undefined)).toBe('{}');
  });

  it('regression: may lack a value, which stopped the partition', () => {
    expect(headersText({ x: null, y: [Buffer.from('a'), null] })).toBe('{"x":null,"y":["a",null]}');
  });

  it('regression: are as unreadable as they were when bytes are no UTF-8', () => {
    const names = ['specversion', 'source', 'type'];
    const given = {
      ...Object.fromEntries(names.map((name) => [`ce_${name}`, '1.0'])),
      ce_id: Buffer.from([0x61, 0xff]),
    };
    const record = { value: Buffer.from('{}'), now: 0 };
    const refused = { kind: 'quarantine', reason: 'unreadable', detail: 'headers.ce_id: invalid UTF-8' };
    expect(decodeSourceRecord({ ...record, headers: given })).toEqual(refused);
    expect(decodeSourceRecord({ ...record, headers: headersOf(headersText(given)) })).toEqual(refused);
  });
});
