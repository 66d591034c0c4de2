import type { BrandAttribute } from '../seed/seed.js';

/** Brand attribute of partner-api.md section 2. */
export interface BrandAttributeAnswer extends Omit<BrandAttribute, 'id'> {
  readonly brandAttributeId: number;
  readonly brandId: number;
}

export function toBrandAttribute(brandId: string, attribute: BrandAttribute): BrandAttributeAnswer {
  const { id, ...properties } = attribute;
  return { brandAttributeId: id, ...properties, brandId: Number(brandId) };
}
