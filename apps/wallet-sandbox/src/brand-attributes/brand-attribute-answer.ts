import type { BrandAttributeAnswer } from '../contract/administration-bodies.js';
import type { BrandAttribute } from '../seed/seed.js';

/** Brand attribute of partner-api.md section 2. */
export function toBrandAttribute(brandId: string, attribute: BrandAttribute): BrandAttributeAnswer {
  const { id, ...properties } = attribute;
  return { brandAttributeId: id, ...properties, brandId: Number(brandId) };
}
