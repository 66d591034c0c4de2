import { chooseWording } from '../contract/wordings.js';
import { Catalogue } from '../seed/catalogue.js';
import { parseSeed } from '../seed/load-seed.js';
import { checkMetaData, type HeldMetaDataValue, MetaDataIndex } from './meta-data.js';

const brandAttributes = [
  { id: 1, name: 'shop', required: true },
  { id: 2, name: 'visits', dataType: 'number' },
  { id: 3, name: 'since', dataType: 'date' },
  { id: 4, name: 'retired', dataType: 'number', required: true, statusCode: 'INACTIVE' },
  { id: 5, name: 'constructor' },
];
const seed = parseSeed({ brands: [{ id: 1, uniqueIdentifier: 'metaData.memberId', brandAttributes }] });
const brand = new Catalogue(seed).brand({ brandId: '1' });
const check = (metaData: Record<string, unknown> | undefined, use: 'issue' | 'update'): string | null => {
  const content = metaData === undefined ? {} : { passdata: { metaData } };
  return checkMetaData(brand, { content, use, wording: chooseWording(0) });
};

it.each([
  [{ shop: 'a' }, 'issue'],
  [{ shop: 'a', visits: 2, since: '2026-11-21', other: [1] }, 'issue'],
  [{ shop: 'a', visits: null, retired: 'x' }, 'issue'],
  [{ visits: 2 }, 'update'],
  [{ visits: null }, 'update'],
  [undefined, 'update'],
] as const)('lets %j pass on %s', (metaData, use) => {
  expect(check(metaData, use)).toBeNull();
});

it.each([
  [undefined, 'issue', 'shop is required'],
  [{ shop: null }, 'issue', 'shop is required'],
  [{ shop: null }, 'update', 'shop is required'],
  [{ shop: 5 }, 'issue', 'shop: must be a string'],
  [{ visits: '2' }, 'update', 'visits: must be a number'],
  [{ shop: 'a', since: 'soon' }, 'issue', 'since: must be a date'],
  [{ shop: 'a', visits: { a: 1 } }, 'issue', 'visits: must be a number'],
  [{ shop: 'a', constructor: 1 }, 'issue', 'constructor: must be a string'],
] as const)('refuses %j on %s', (metaData, use, problem) => {
  expect(check(metaData, use)).toBe(`passdata.metaData.${problem}`);
});

const held = (passId: number, value: string, identity = `m_${passId}`): HeldMetaDataValue => ({
  brandId: '101',
  attribute: 'shop',
  value,
  passId,
  identity,
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
