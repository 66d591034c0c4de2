import type { BrandAttribute, Template, TransactionAttribute } from './seed.js';

export interface ProgramPath {
  readonly brandId: string;
  readonly programId: string;
}

/** What an effect of 4.8 to 4.13 did to the catalogue, as it is stored; replayed over the seed at each start. */
export type CatalogueChange =
  | { readonly kind: 'brand-renamed'; readonly brandId: string; readonly name: string }
  /** Created, or replaced as a whole. */
  | { readonly kind: 'brand-attribute-put'; readonly brandId: string; readonly attribute: BrandAttribute }
  | (ProgramPath & { readonly kind: 'template-created'; readonly template: Template })
  | (ProgramPath & { readonly kind: 'transaction-type-renamed'; readonly typeId: string; readonly name: string })
  | (ProgramPath & {
      readonly kind: 'transaction-attribute-created';
      readonly typeId: string;
      readonly attribute: TransactionAttribute;
    });
