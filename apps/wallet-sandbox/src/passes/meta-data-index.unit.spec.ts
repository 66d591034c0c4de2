import { MetaDataIndex } from './meta-data-index.js';
import type { HeldMetaDataValue } from './meta-data.js';

const held = (passId: number, value: string, uniqueId = `m_${passId}`): HeldMetaDataValue => ({
  brandId: '101',
  attribute: 'shop',
  value,
  passId,
  uniqueId,
});

describe('MetaDataIndex', () => {
  it('knows what others hold; what the same cardholder holds elsewhere is not taken', () => {
    const index = new MetaDataIndex([held(1, 'a'), held(2, 'b', 'm_1')]);
    expect([index.isTaken(held(3, 'a'), 'm_3'), index.isTaken(held(3, 'b'), 'm_1')]).toEqual([true, false]);
    expect(index.isTaken({ ...held(3, 'a'), brandId: '102' }, 'm_3')).toBe(false);
    expect(index.isTaken({ ...held(3, 'a'), attribute: 'other' }, 'm_3')).toBe(false);
  });

  it('frees a value that its pass gives up, and takes the one in its place', () => {
    const index = new MetaDataIndex([held(1, 'a')]);
    index.put(1, [held(1, 'b')]);
    expect([index.isTaken(held(2, 'a'), 'm_2'), index.isTaken(held(2, 'b'), 'm_2')]).toEqual([false, true]);
    index.put(2, [held(2, 'a')]);
    expect(index.changes()).toEqual({ passIds: [1, 2], held: [held(1, 'b'), held(2, 'a')] });
  });

  it('has nothing to write where nothing was put', () => {
    expect(new MetaDataIndex([held(1, 'a')]).changes()).toEqual({ passIds: [], held: [] });
  });
});
