import { judgeDraft, draftOf } from './correction.js';
import { filterWords, listQueryOf, manyQueryOf, placeText } from './quarantine-filter.js';
import { adminPaths, perhapsAdminPaths, recordChanges } from './record-changes.js';
import { decodeRecord } from './record-content.js';
import { brokenRules, detailWords, isOurDefect, refusalReasons, refusalWords } from './refusal-words.js';

const binary = {
  headers: '{"content-type":"application/json","ce_specversion":"1.0","ce_type":"loyalty.purchase.completed.v1"}',
  value: '{"memberId":"m_1","total":{"minor":-1}}',
  encoding: 'text',
} as const;

describe('what a record says', () => {
  it('is read from the headers in binary mode', () => {
    const event = {
      specversion: '1.0',
      type: 'loyalty.purchase.completed.v1',
      data: { memberId: 'm_1', total: { minor: -1 } },
    };
    expect(decodeRecord(binary)).toEqual({ mode: 'binary', event });
  });

  it('is the value in structured mode, whatever the headers say besides', () => {
    const headers = '{"content-type":"application/cloudevents+json; charset=utf-8","ce_type":"x"}';
    expect(decodeRecord({ headers, value: '{"id":"1"}' })).toEqual({ mode: 'structured', event: { id: '1' } });
  });

  it.each([null, 'no json', '[1]', '3'])('is no event: %j', (value) => {
    expect(decodeRecord({ headers: '{}', value })).toBeNull();
  });
});

describe('a difference', () => {
  it('is told path by path', () => {
    expect(recordChanges({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 3], d: null }, e: 0 })).toEqual([
      { path: 'a', change: 'removed', from: 1, to: undefined },
      { path: 'b.c.1', change: 'changed', from: 2, to: 3 },
      { path: 'b.d', change: 'added', from: undefined, to: null },
      { path: 'e', change: 'added', from: undefined, to: 0 },
    ]);
  });

  it('is whole where the kinds differ', () => {
    expect(recordChanges({ a: {} }, { a: [] })).toEqual([{ path: 'a', change: 'changed', from: {}, to: [] }]);
  });

  it('takes an admin, but for what is known to be harmless', () => {
    const paths = [
      'data.total.minor',
      'time',
      'data.storeId',
      'data.attributes.shop',
      'data.storeIdX',
      'data.pass.seat',
    ];
    const changes = paths.map((path) => ({ path, change: 'changed', from: 1, to: 2 }) as const);
    expect(adminPaths(changes)).toEqual(['data.total.minor', 'data.storeIdX']);
    expect(perhapsAdminPaths(changes)).toEqual(['data.storeId', 'data.attributes.shop']);
  });
});

describe('a draft', () => {
  const draft = draftOf(binary);

  it('changes nothing at first', () => {
    expect(judgeDraft(binary, draft)).toEqual({ state: 'unchanged' });
  });

  it('sends the part that was changed, as text', () => {
    const value = draft.value.replace('-1', '12345678901234567890');
    expect(judgeDraft(binary, { ...draft, value })).toMatchObject({
      state: 'changed',
      corrected: { value },
      changes: [{ path: 'data.total.minor', change: 'changed', from: -1 }],
    });
  });

  it.each([
    [{ value: '{\n"a": }' }, /^The value is no JSON/],
    [{ value: '[]' }, /^The value must be an object/],
    [{ headers: '{"a": 1}' }, /Each header must be a text/],
    [{ value: '{"person":"•••"}' }, /there is none at person\. Say the value/],
  ])('cannot be sent: %j', (parts, why) => {
    expect(judgeDraft(binary, { ...draft, ...parts })).toEqual({
      state: 'unusable',
      why: expect.stringMatching(why) as unknown,
    });
  });

  it('begins empty where nothing is shown of what came', () => {
    expect(draftOf({ headers: '{}', value: '•••', encoding: 'masked' }).value).toBe('');
  });

  describe('regression: with masked values in it', () => {
    const masked = {
      ...binary,
      value: '{"channel":"•••","lines":[{"sku":"•••","n":1},{"sku":"•••","n":2}],"storeId":7}',
    };
    const before = draftOf(masked);
    const judge = (value: object, headers = before.headers): ReturnType<typeof judgeDraft> =>
      judgeDraft(masked, { value: JSON.stringify(value), headers });
    const lines = [
      { sku: '•••', n: 1 },
      { sku: '•••', n: 2 },
    ];

    it('is sent with the dots where they were: they stay as they arrived', () => {
      expect(judge({ channel: '•••', lines, storeId: 'berlin-07' })).toMatchObject({
        state: 'changed',
        changes: [{ path: 'data.storeId', from: 7, to: 'berlin-07' }],
      });
      expect(judge({ channel: 'pos', lines: [], storeId: 7 })).toMatchObject({ state: 'changed' });
    });

    it('is not sent where they would stand for nothing, or for another', () => {
      const why = (value: object): unknown => {
        const judged = judge(value);
        return judged.state === 'unusable' ? judged.why : judged.state;
      };
      expect(why({ channel: '•••', lines: lines.slice(1), storeId: 7 })).toMatch(/none at lines\.0\.sku\./);
      expect(why({ channel: 'a •••', lines, storeId: 7 })).toMatch(/none at channel\./);
      expect(why({ lines: [...lines, ...lines, ...lines], storeId: '•••' })).toMatch(
        /none at lines\.0\.sku, lines\.1\.sku, lines\.2\.sku and 4 more\./,
      );
      expect(judge({ storeId: 7 }, '{"x":"•••"}')).toMatchObject({
        why: expect.stringMatching(/header\.x/) as unknown,
      });
    });
  });
});

describe('a refusal', () => {
  it('has words for each reason', () => {
    for (const reason of refusalReasons) expect(refusalWords(reason)).not.toBe(refusalWords('new-one'));
  });

  it('names paths and rules', () => {
    expect(brokenRules('data.total.minor: Invalid input: expected int; value: not JSON; event')).toEqual([
      { path: 'data.total.minor', rule: 'Invalid input: expected int' },
      { path: 'value', rule: 'not JSON' },
      { path: null, rule: 'event' },
    ]);
  });

  it('says of a conflict by what the two are the same', () => {
    expect(detailWords({ reason: 'conflict', detail: 'event' })).toBe('the same event id, with other content');
    expect(detailWords({ reason: 'conflict', detail: 'business-key' })).toMatch(/^the same purchase or grant/);
    expect(detailWords({ reason: 'unreadable', detail: 'event' })).toBe('event');
  });

  it('may be our own', () => {
    expect(isOurDefect('prepare: TypeError')).toBe(true);
    expect(isOurDefect('data.prepare: x')).toBe(false);
  });
});

describe('a filter', () => {
  const texts = { state: 'discarded', reason: 'invalid', topic: 'loyalty.purchases', unheard: 'x' };

  it('is what the API takes', () => {
    expect(listQueryOf(texts)).toEqual({ state: 'discarded', reason: 'invalid', topic: 'loyalty.purchases' });
    expect(listQueryOf({ state: 'lost' })).toEqual({ state: 'open' });
  });

  it('may be of those that name no source, whatever became of them', () => {
    const unnamed = { state: 'any', source: '(none)' };
    expect(listQueryOf(unnamed)).toEqual({ state: 'any', source: '' });
    expect(filterWords(manyQueryOf(unnamed))).toBe('source (none)');
  });

  it('is told in words', () => {
    expect(filterWords(manyQueryOf(texts))).toBe('reason invalid, topic loyalty.purchases');
    expect(filterWords({})).toBeNull();
  });

  it('shows where a record came from', () => {
    const record = { topic: 't', partition: 3, offset: 120, lastOffset: 140 };
    expect(placeText(record as Parameters<typeof placeText>[0])).toBe('t/3@120-140');
  });
});
