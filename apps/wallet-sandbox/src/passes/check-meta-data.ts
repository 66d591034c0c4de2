import { isGoverning } from '../brand-attributes/governing.js';
import { isOfType } from '../contract/data-type.js';
import type { PassContent } from '../contract/pass-content.js';
import type { Brand } from '../seed/catalogue.js';
import type { BrandAttribute } from '../seed/seed.js';
import { ownValue } from './meta-data.js';
import type { JsonRecord } from './pass.js';

/** `issue`: what is not given will not be there. `update`: it stays as it is; an explicit null clears it. */
export type ContentUse = 'issue' | 'update';

/**
 * What the brand's attributes have against the `passdata.metaData` of an issue or update, or null. Keys that are no
 * attribute are free.
 */
export function checkMetaData(brand: Brand, content: PassContent, use: ContentUse): string | null {
  const metaData = content.passdata?.metaData ?? {};
  for (const attribute of brand.attributes) {
    const problem = isGoverning(attribute) ? problemOf(attribute, metaData, use) : null;
    if (problem !== null) return `passdata.metaData.${attribute.name}: ${problem}`;
  }
  return null;
}

function problemOf(attribute: BrandAttribute, metaData: JsonRecord, use: ContentUse): string | null {
  const value = ownValue(metaData, attribute.name);
  if (value === null || value === undefined) {
    const isAbsentAfterwards = use === 'issue' || value === null;
    return attribute.required && isAbsentAfterwards ? 'is required' : null;
  }
  return isOfType(attribute.dataType, value) ? null : `must be a ${attribute.dataType}`;
}
