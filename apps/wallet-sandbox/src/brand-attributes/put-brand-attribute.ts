import type { CreateBrandAttributeEffect, UpdateBrandAttributeEffect } from '../effects/catalogue-effect.js';
import { applied, type EffectResult, refused } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import type { BrandAttribute } from '../seed/seed.js';
import { toBrandAttribute } from './brand-attribute-answer.js';
import { uniquenessChange } from './uniqueness-change.js';

interface BrandAttributePut {
  readonly effect: CreateBrandAttributeEffect | UpdateBrandAttributeEffect;
  /** Null when it is new. */
  readonly before: BrandAttribute | null;
  readonly after: BrandAttribute;
}

/** Creates or replaces a brand attribute, unless another has its name or passes contradict its uniqueness. */
export function putBrandAttribute(state: WorkingSet, put: BrandAttributePut, nowMs: number): EffectResult {
  const { effect, before, after } = put;
  const { brand, call } = effect;
  if (brand.attributes.some(({ id, name }) => name === after.name && id !== after.id)) {
    return refused(call.wording.invalid('name', `the brand already has an attribute ${after.name}`));
  }
  const uniqueness = uniquenessChange(brand, before, after);
  if (uniqueness.begun !== null && state.isShared(uniqueness.begun)) {
    return refused(call.wording.invalid('unique', `passes of several cardholders share a value of ${after.name}`));
  }
  state.changeUniqueness(uniqueness);
  state.changeCatalogue({ kind: 'brand-attribute-put', brandId: brand.brandId, attribute: after });
  recordEffect(state, { effect, targetId: String(after.id), nowMs });
  return applied(toBrandAttribute(brand.brandId, after));
}
