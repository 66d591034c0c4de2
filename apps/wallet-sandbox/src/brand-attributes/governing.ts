import type { Brand } from '../seed/catalogue.js';
import type { BrandAttribute } from '../seed/seed.js';

/** True while the attribute has a say in what `passdata.metaData` may hold. */
export function isGoverning(attribute: BrandAttribute): boolean {
  return attribute.statusCode === 'ACTIVE';
}

/**
 * True when two cardholders of the brand must not share a value. The brand's unique identifier needs no second look:
 * whoever has the same value is the same cardholder.
 */
export function isKeptUnique(brand: Brand, attribute: BrandAttribute): boolean {
  const { uniqueIdentifier } = brand;
  const isIdentifier = uniqueIdentifier.kind === 'metaData' && uniqueIdentifier.key === attribute.name;
  return attribute.unique && isGoverning(attribute) && !isIdentifier;
}
