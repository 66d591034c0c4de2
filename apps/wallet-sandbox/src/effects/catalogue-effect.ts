import type {
  BrandAttributeBody,
  BrandAttributeChanges,
  TemplateBody,
  TransactionAttributeBody,
} from '../contract/administration-bodies.js';
import type { Brand, Program } from '../seed/catalogue.js';
import type { EffectBase } from './effect-base.js';

export interface UpdateBrandEffect extends EffectBase {
  readonly operation: 'update-brand';
  readonly brand: Brand;
  readonly name: string;
}

export interface CreateBrandAttributeEffect extends EffectBase {
  readonly operation: 'create-brand-attribute';
  readonly brand: Brand;
  readonly attribute: BrandAttributeBody;
}

export interface UpdateBrandAttributeEffect extends EffectBase {
  readonly operation: 'update-brand-attribute';
  readonly brand: Brand;
  /** As in the path. */
  readonly attributeId: string;
  readonly changes: BrandAttributeChanges;
}

export interface CreateTemplateEffect extends EffectBase {
  readonly operation: 'create-template';
  readonly program: Program;
  readonly template: TemplateBody;
}

export interface UpdateTransactionTypeEffect extends EffectBase {
  readonly operation: 'update-transaction-type';
  readonly program: Program;
  readonly typeId: string;
  readonly name: string;
}

export interface CreateTransactionAttributeEffect extends EffectBase {
  readonly operation: 'create-transaction-attribute';
  readonly program: Program;
  readonly typeId: string;
  readonly attribute: TransactionAttributeBody;
}

/** An effect on what requests are judged by; it is written in a batch of its own, so that the next one sees it. */
export type CatalogueEffect =
  | UpdateBrandEffect
  | CreateBrandAttributeEffect
  | UpdateBrandAttributeEffect
  | CreateTemplateEffect
  | UpdateTransactionTypeEffect
  | CreateTransactionAttributeEffect;

const catalogueOperations: ReadonlySet<string> = new Set<CatalogueEffect['operation']>([
  'update-brand',
  'create-brand-attribute',
  'update-brand-attribute',
  'create-template',
  'update-transaction-type',
  'create-transaction-attribute',
]);

/** True for an effect that changes the catalogue. */
export function isCatalogueEffect(effect: EffectBase): boolean {
  return catalogueOperations.has(effect.operation);
}
