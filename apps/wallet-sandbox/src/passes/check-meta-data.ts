import { isGoverning } from '../brand-attributes/governing.js';
import { isOfType } from '../contract/field-schemas.js';
import type { PassContent } from '../contract/wallet-pass.js';
import type { Wording } from '../contract/wordings.js';
import type { Brand } from '../seed/catalogue.js';
import type { BrandAttribute } from '../seed/seed.js';
import { ownValue } from './meta-data.js';

interface MetaDataCheck {
  readonly content: PassContent;
  /** `issue`: what is not given will not be there. `update`: it stays as it is; an explicit null clears it. */
  readonly use: 'issue' | 'update';
  readonly wording: Wording;
}

/**
 * What the brand's attributes have against the `passdata.metaData` of an issue or update, or null. Keys that are no
 * attribute are free.
 */
export function checkMetaData(brand: Brand, check: MetaDataCheck): string | null {
  const metaData = check.content.passdata?.metaData ?? {};
  for (const attribute of brand.attributes) {
    const problem = isGoverning(attribute) ? problemOf(attribute, ownValue(metaData, attribute.name), check) : null;
    if (problem !== null) return problem;
  }
  return null;
}

function problemOf(attribute: BrandAttribute, value: unknown, { use, wording }: MetaDataCheck): string | null {
  const { name, dataType, required } = attribute;
  const path = `passdata.metaData.${name}`;
  if (value === undefined && use === 'update') return null;
  if (value === undefined || value === null) return required ? wording.required(path) : null;
  return isOfType(dataType, value) ? null : wording.invalid(path, `must be a ${dataType}`);
}
