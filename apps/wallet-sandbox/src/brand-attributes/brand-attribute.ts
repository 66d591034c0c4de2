import type { BrandAttributeChanges } from '../contract/administration-bodies.js';
import type { Brand } from '../seed/catalogue.js';
import type { BrandAttribute } from '../seed/seed.js';

/** The attribute that a path names, or null. */
export function findBrandAttribute(brand: Brand, attributeId: string): BrandAttribute | null {
  return brand.attributes.find(({ id }) => String(id) === attributeId) ?? null;
}

/** The attribute with the given properties changed and the others kept. */
export function changedAttribute(known: BrandAttribute, changes: BrandAttributeChanges): BrandAttribute {
  const { brandAttributeId: _id, brandId: _brandId, ...properties } = changes;
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  return { ...known, ...(Object.fromEntries(given) as Partial<BrandAttribute>) };
}
