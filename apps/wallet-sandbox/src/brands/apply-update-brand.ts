import type { BrandAnswer } from '../contract/administration-bodies.js';
import type { UpdateBrandEffect } from '../effects/catalogue-effect.js';
import { applied, type EffectResult } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';

/** 4.13: gives the brand another name. */
export function applyUpdateBrand(state: WorkingSet, effect: UpdateBrandEffect, nowMs: number): EffectResult {
  const { brandId, statusCode } = effect.brand;
  const { name } = effect;
  state.changeCatalogue({ kind: 'brand-renamed', brandId, name });
  recordEffect(state, { effect, targetId: brandId, nowMs });
  return applied({ brandId: Number(brandId), name, statusCode } satisfies BrandAnswer);
}
