import type { CreateBrandAttributeEffect } from '../effects/catalogue-effect.js';
import type { EffectResult } from '../effects/effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import { putBrandAttribute } from './put-brand-attribute.js';

/** 4.10: a further attribute of the brand; `passdata.metaData` is judged by it from now on. */
export function applyCreateBrandAttribute(
  state: WorkingSet,
  effect: CreateBrandAttributeEffect,
  nowMs: number,
): EffectResult {
  const after = { ...effect.attribute, id: state.nextId() };
  return putBrandAttribute(state, { effect, before: null, after }, nowMs);
}
