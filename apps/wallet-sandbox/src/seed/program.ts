import type { BrandAttribute, Reward, SeedProgram, Template, TransactionType, Workflow } from './seed.js';

/** How a brand tells its cardholders apart: by e-mail address, or by a key of `passdata.metaData`. */
export type UniqueIdentifier = { readonly kind: 'email' } | { readonly kind: 'metaData'; readonly key: string };

export interface Brand {
  readonly brandId: string;
  readonly name: string;
  readonly statusCode: string;
  readonly uniqueIdentifier: UniqueIdentifier;
  readonly attributes: readonly BrandAttribute[];
}

export interface Program {
  readonly brandId: string;
  readonly programId: string;
  readonly brand: Brand;
  readonly uniqueIdentifier: UniqueIdentifier;
  readonly enrolment: SeedProgram['enrolment'];
  /** The first one is used when a request names none. */
  readonly templates: readonly Template[];
  readonly tiers: readonly number[];
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly transactionTypes: ReadonlyMap<string, TransactionType>;
  readonly rewards: ReadonlyMap<string, Reward>;
}
