import type { Effect } from '../effects/effect.js';
import type { Brand } from '../seed/catalogue.js';
import type { BrandAttribute } from '../seed/seed.js';
import { changedAttribute, findBrandAttribute } from './brand-attribute.js';
import { isKeptUnique } from './governing.js';

/** A key of `passdata.metaData` under which cardholders of a brand must not share a value. */
export interface UniqueKey {
  readonly brandId: string;
  readonly key: string;
}

/** The uniqueness that ends and begins with a change of the catalogue. */
export interface UniquenessChange {
  readonly ended: UniqueKey | null;
  readonly begun: UniqueKey | null;
}

/** What replacing `before` with `after` does to uniqueness. */
export function uniquenessChange(brand: Brand, before: BrandAttribute | null, after: BrandAttribute): UniquenessChange {
  const ended = before === null ? null : uniqueKeyOf(brand, before);
  const begun = uniqueKeyOf(brand, after);
  return ended?.key === begun?.key ? { ended: null, begun: null } : { ended, begun };
}

/** The uniqueness that an effect would begin among the passes that exist already. */
export function begunUniqueness(effect: Effect): UniqueKey[] {
  if (effect.operation === 'create-brand-attribute') {
    const key = uniqueKeyOf(effect.brand, { ...effect.attribute, id: 0 });
    return key === null ? [] : [key];
  }
  if (effect.operation !== 'update-brand-attribute') return [];
  const known = findBrandAttribute(effect.brand, effect.attributeId);
  if (known === null) return [];
  const { begun } = uniquenessChange(effect.brand, known, changedAttribute(known, effect.changes));
  return begun === null ? [] : [begun];
}

function uniqueKeyOf(brand: Brand, attribute: BrandAttribute): UniqueKey | null {
  return isKeptUnique(brand, attribute) ? { brandId: brand.brandId, key: attribute.name } : null;
}
