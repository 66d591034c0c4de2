import { exactDocument } from './exact-body.js';
import { recordKeyOf, eventKey } from './record-key.js';

const keyOf = (expression: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  recordKeyOf(expression)({ document: exactDocument(Buffer.from(body)) ?? null, record: { topic: 'shop', headers } });

describe('the key of an event', () => {
  it('is its member, else its receipt, without the spaces around it', () => {
    expect(eventKey({ memberId: 'm_1', purchaseId: 'B07' })).toBe('m_1');
    expect(eventKey({ memberId: '  m_1 ' })).toBe('m_1');
    expect(eventKey({ purchaseId: 'B07' })).toBe('B07');
    expect(eventKey({ memberId: '', purchaseId: 'B07' })).toBe('B07');
  });

  it.each([
    [{}],
    [null],
    ['m_1'],
    [{ memberId: '   ' }],
    [{ memberId: 7 }],
    [{ memberId: ['m'] }],
    [{ memberId: 'm\u200d1' }],
    [{ memberId: 'x'.repeat(257) }],
  ])('is none of %j', (data) => {
    expect(eventKey(data)).toBeNull();
  });
});

describe('the key that an expression makes', () => {
  const order = '{"customer":{"id":12345678901234567890},"order_id":99,"lines":[{"id":1}]}';

  it('is the text of a number as it was sent, and may choose', () => {
    expect(keyOf('customer.id', order)).toBe('12345678901234567890');
    expect(keyOf('customer.missing ?? order_id', order)).toBe('99');
  });

  it('may ask for the headers of the record', () => {
    const headers = { 'x-shopify-topic': 'refunds/create' };
    expect(keyOf('$record.headers."x-shopify-topic"', order, headers)).toBe('refunds/create');
  });

  it.each(['nothing', 'lines', 'customer', '""', '$error("x")', '1/0', 'true', '$string(lines) & $pad("", 300, "x")'])(
    'is none of %s',
    (expression) => {
      expect(keyOf(expression, order)).toBeNull();
    },
  );

  it('is refused when it is compiled, where it is no expression', () => {
    expect(() => recordKeyOf('customer.(')).toThrow();
  });
});
