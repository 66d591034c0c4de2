import { maskPersonal, maskedText } from './mask-personal.js';
import { maskedPaths } from './masked-paths.js';

describe('what was copied from a masked answer', () => {
  it('is found wherever it stands, whole or as a part of a text', () => {
    const shown = maskPersonal({
      amount: '1.00',
      attributes: { receipt: 'B07', store: 'berlin' },
      content: { person: { firstName: 'Ada' }, tierId: 2 },
    });
    expect(maskedPaths(shown)).toEqual(['attributes.receipt', 'attributes.store', 'content.person']);
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
