import { chooseWording } from '../contract/wordings.js';
import { Catalogue } from '../seed/catalogue.js';
import { parseSeed } from '../seed/load-seed.js';
import { checkMetaData } from './check-meta-data.js';

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
