import { maskedText } from '../masking/mask-personal.js';
import { ApiProblem } from '../problems/api-problem.js';
import { toCorrection } from './kept-values.js';
import { showRecord } from './shown-record.js';

const names = { programs: new Set<string>(), tiers: new Set<string>(), rewards: new Set<string>() };

function arrived(value: string | null, headers: object = {}): Parameters<typeof showRecord>[0] {
  const bytes = value === null ? null : Buffer.from(value);
  return { key: null, value: bytes, headersText: JSON.stringify(headers), isUnreadable: false };
}

const nothing = arrived(null);

describe('a corrected record', () => {
  it('is kept as text, whatever form it was sent in', () => {
    expect(toCorrection({ value: { id: 'e-1' }, headers: { 'content-type': 'application/json' } }, nothing)).toEqual({
      value: '{"id":"e-1"}',
      headersText: '{"content-type":"application/json"}',
    });
    expect(toCorrection({ key: 'm-1', value: 'as it is' }, nothing)).toEqual({ key: 'm-1', value: 'as it is' });
    const digits = '{"a":12345678901234567890}';
    expect(toCorrection({ value: digits }, nothing)).toEqual({ value: digits });
  });

  it('keeps what is shown masked as it arrived, to the last digit, when somebody changes something else', () => {
    const text =
      '{"specversion":"1.0","type":"loyalty.purchase.completed.v1","id":"e-1","data":{"program":"Coffee Club","memberId":"m-1",' +
      '"lines":[{"sku":"A 1","quantity":2},{"sku":"B 2","quantity":1}],"note":12345678901234567890.10,' +
      '"attributes":{"till":"Ada","x":[1,{"y":"z"}]},"Ada Lovelace":true,"Bob":null}}';
    const record = arrived(text, { 'content-type': 'application/cloudevents+json', note: 'Ada', odd: ['a', null] });
    const { value, headers } = showRecord(record, names);
    expect(value).not.toMatch(/Ada|Coffee|A 1|1234/);
    const edited = String(value).replace('"quantity":2', '"quantity":3');
    expect(edited).not.toBe(value);
    expect(toCorrection({ value: edited }, record)).toEqual({ value: text.replace('"quantity":2', '"quantity":3') });
    const sent = { key: maskedText, headers: JSON.parse(headers) as Record<string, string> };
    expect(toCorrection(sent, record)).toEqual({ headersText: record.headersText });
    const asObject = toCorrection({ value: JSON.parse(edited) as Record<string, unknown> }, record);
    expect(asObject).toEqual({ value: text.replace('"quantity":2', '"quantity":3') });
  });

  it('takes what is typed over the dots', () => {
    const record = arrived('{"specversion":"1.0","data":{"program":"Coffee Club","x":1}}');
    expect(toCorrection({ value: `{"data":{"program":"coffee-club","x":"${maskedText}"}}` }, record)).toEqual({
      value: '{"data":{"program":"coffee-club","x":1}}',
    });
    expect(toCorrection({ value: `{"data":"object ${maskedText}"}` }, record)).toEqual({
      value: '{"data":{"program":"Coffee Club","x":1}}',
    });
  });

  it.each([
    [
      'nothing arrived at the path',
      { value: { data: { person: { firstName: maskedText } } } },
      'value.data.person.firstName',
    ],
    ['nothing arrived there, in a text', { value: `{"data":{"other":"${maskedText}"}}` }, 'value.data.other'],
    ['it is a part of a text', { value: { data: { note: `Dr ${maskedText}` } } }, 'value.data.note'],
    ['a list has lost an item', { value: { data: { lines: [{ sku: maskedText }] } } }, 'value.data.lines.0.sku'],
    [
      'a list has an item more',
      { value: { data: { lines: ['', '', { sku: maskedText }] } } },
      'value.data.lines.2.sku',
    ],
    ['the value is no JSON', { value: `{"data":${maskedText}` }, 'value'],
    ['a header is new', { headers: { ce_source: maskedText } }, 'headers.ce_source'],
    ['a name is none of those that are masked', { value: { [`${maskedText}0`]: maskedText } }, `value.${maskedText}0`],
    ['an inherited name', { value: { data: { toString: maskedText } } }, 'value.data.toString'],
  ])('is refused where dots stand for nothing: %s', (_, sent, path) => {
    const record = arrived('{"data":{"note":"Ada","lines":[{"sku":"A"},{"sku":"B"}]}}');
    const correct = (): unknown => toCorrection(sent, record);
    expect(correct).toThrow(ApiProblem);
    expect(correct).toThrow(`${path}: ${maskedText} stands for a masked value`);
  });

  it('is refused where what arrived cannot be read', () => {
    const sent = { value: { data: maskedText } };
    for (const record of [nothing, arrived('no JSON'), arrived('['.repeat(200_000))]) {
      expect(() => toCorrection(sent, record)).toThrow(ApiProblem);
    }
  });

  it('is read however deep it nests', () => {
    let deep: unknown = maskedText;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const record = arrived('{"a":[[[1]]]}');
    expect(() => toCorrection({ value: { a: deep } }, record)).toThrow(ApiProblem);
  });
});
