import { fitting, mask, maskedPaths, maskedText, nestedJson, shownName } from './mask-personal.js';

const text = fitting((value) => typeof value === 'string');
const number = fitting((value) => typeof value === 'number');
const shape = {
  members: { id: text, total: { members: { minor: number } }, lines: { items: { members: { no: number } } } },
};

describe('a document', () => {
  it('is masked but for what its shape names', () => {
    const document = { id: 'e-1', total: { minor: 1, note: 'Ada' }, lines: [{ no: 1, sku: 'Ada' }], nickname: 'Ada' };
    expect(mask(document, shape)).toEqual({
      id: 'e-1',
      total: { minor: 1, note: 'text(3) •••' },
      lines: [{ no: 1, sku: 'text(3) •••' }],
      nickname: 'text(3) •••',
    });
  });

  it.each([
    [{ id: { minor: 1 } }, { id: 'object •••' }],
    [{ id: ['Ada'] }, { id: 'list •••' }],
    [{ id: 1 }, { id: 'number •••' }],
    [{ total: 5 }, { total: 'number •••' }],
    [{ total: [{ minor: 1 }] }, { total: 'list •••' }],
    [{ total: { minor: '1' } }, { total: { minor: 'text(1) •••' } }],
    [{ lines: { no: 1 } }, { lines: 'object •••' }],
    [{ lines: [1, [1], 'Ada'] }, { lines: ['number •••', 'list •••', 'text(3) •••'] }],
    [
      { constructor: 'Ada', toString: 1 },
      { constructor: 'text(3) •••', toString: 'number •••' },
    ],
    [['Ada'], 'list •••'],
    ['Ada', 'text(3) •••'],
    [true, 'boolean •••'],
  ])('is masked where it is not of its kind, and of which kind it is stays: %j', (document, shown) => {
    expect(mask(document, shape)).toEqual(shown);
  });

  it('says where nothing is', () => {
    expect(mask({ id: null, other: null }, shape)).toEqual({ id: null, other: null });
    expect(mask(null, shape)).toBeNull();
  });

  it('shows names of fields, and no names that say something themselves', () => {
    const names = ['Ada Lovelace', 'ada@example.org', '+4479460958', '4479460958', '__proto__'];
    const odd = JSON.parse(`{${names.map((name) => `"${name}":1`).join(',')},"x-shop":1}`) as object;
    expect(mask(odd, shape)).toEqual({
      ...Object.fromEntries(names.map((_, index) => [`${maskedText}${index}`, 'number •••'])),
      'x-shop': 'number •••',
    });
    expect(['x-shop', '12'].map(shownName)).toEqual(['x-shop', '12']);
    expect(names.map(shownName)).toEqual(names.map(() => maskedText));
  });
});

describe('a text that holds JSON', () => {
  it('is masked by the shape of what it holds', () => {
    const body = (value: string): unknown => mask({ body: value }, { members: { body: { json: shape } } });
    expect(body('{"id":"e-1","code":7}')).toEqual({ body: `{"id":"e-1","code":"number •••"}` });
    expect(body('[1]')).toEqual({ body: 'list •••' });
    expect(body('<p>Ada</p>')).toEqual({ body: 'text(10) •••' });
    expect(body('"Ada"')).toEqual({ body: 'text(5) •••' });
    expect(body('')).toEqual({ body: '' });
  });

  it('is nothing of what nests deeper than any event, however deep', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(nestedJson(deep)).toBeUndefined();
    expect(mask(deep, { json: { items: shape } })).toBe('text(400000) •••');
  });
});

describe('what was copied from a masked answer', () => {
  it('is found wherever it stands, whole, as a part of a text, or as a name', () => {
    const shown = mask({ id: 'e-1', total: { minor: '1' }, 'Ada L': null, person: { firstName: 'Ada' } }, shape);
    expect(maskedPaths(shown)).toEqual(['total.minor', `${maskedText}2`, 'person']);
    expect(maskedPaths({ list: ['a', { deep: [`x ${maskedText}`] }] })).toEqual(['list.1.deep.0']);
    expect(maskedPaths(maskedText)).toEqual(['']);
  });

  it('is nothing where nothing was masked', () => {
    expect(maskedPaths({ a: null, b: 1, c: ['..', '••', ''], d: { e: true } })).toEqual([]);
    expect(maskedPaths(undefined)).toEqual([]);
  });

  it('is told in few words, however much was copied, and found however deep', () => {
    expect(maskedPaths(Array.from({ length: 200_000 }, () => maskedText))).toHaveLength(10);
    let deep: unknown = maskedText;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(maskedPaths(deep)).toHaveLength(1);
  });
});
