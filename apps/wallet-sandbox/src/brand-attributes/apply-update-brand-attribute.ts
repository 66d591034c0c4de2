import type { UpdateBrandAttributeEffect } from '../effects/catalogue-effect.js';
import { type EffectResult, refused } from '../effects/effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import { changedAttribute, findBrandAttribute } from './brand-attribute.js';
import { putBrandAttribute } from './put-brand-attribute.js';

/** 4.11: changes the given properties of a brand attribute. */
export function applyUpdateBrandAttribute(
  state: WorkingSet,
  effect: UpdateBrandAttributeEffect,
  nowMs: number,
): EffectResult {
  const { brand, attributeId, changes } = effect;
  const { wording } = effect.call;
  const before = findBrandAttribute(brand, attributeId);
  if (before === null) return refused(wording.noSuch('brand attribute', attributeId), 404);
  if (isOther(changes.brandAttributeId, attributeId)) {
    return refused(wording.invalid('brandAttributeId', 'is not the attribute of the path'));
  }
  if (isOther(changes.brandId, brand.brandId)) {
    return refused(wording.invalid('brandId', 'is not the brand of the path'));
  }
  return putBrandAttribute(state, { effect, before, after: changedAttribute(before, changes) }, nowMs);
}

function isOther(given: number | undefined, expected: string): boolean {
  return given !== undefined && String(given) !== expected;
}
