import type { AttributeDataType } from '../partner/index.js';

/**
 * What a brand and its programs are to have at the partner: the `provision` section of the programs file. Nothing of it
 * routes or delivers anything. What is left out of a thing is not sent.
 */
export interface ProvisionSection {
  /** By the partner's id of the brand. */
  readonly brands: Readonly<Record<string, DeclaredBrand>>;
  /** By our name of the program. */
  readonly programs: Readonly<Record<string, DeclaredProgram>>;
}

export interface DeclaredBrand {
  /** By their names. */
  readonly attributes: Readonly<Record<string, DeclaredBrandAttribute>>;
}

/** partner-api.md 4.10 and 4.11. */
export interface DeclaredBrandAttribute {
  /** The partner's id of one that is there already; `null`: we create it. */
  readonly id: string | null;
  readonly dataType: AttributeDataType;
  readonly searchable: boolean;
  readonly unique: boolean;
  readonly description?: string;
  readonly required?: boolean;
  readonly encrypted?: boolean;
  readonly statusCode?: string;
}

export interface DeclaredProgram {
  /** By the partner's id of the type: none can be created. */
  readonly transactionTypes: Readonly<Record<string, DeclaredTransactionType>>;
  /** By their names. */
  readonly templates: Readonly<Record<string, DeclaredTemplate>>;
}

export interface DeclaredTransactionType {
  /** partner-api.md 4.8; `null`: it keeps the name that it has. */
  readonly name: string | null;
  /** By their names. */
  readonly attributes: Readonly<Record<string, DeclaredTransactionAttribute>>;
}

/** partner-api.md 4.9. */
export interface DeclaredTransactionAttribute {
  /** It is there already, not made by us: never created. */
  readonly exists: boolean;
  readonly dataType: AttributeDataType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly description?: string;
  readonly encrypted?: boolean;
}

/** partner-api.md 4.12. */
export interface DeclaredTemplate {
  /** It is there already, not made by us: never created. */
  readonly exists: boolean;
  readonly passType: string;
}

/** How many things a section declares. */
export function countDeclared({ brands, programs }: ProvisionSection): number {
  const ofBrands = Object.values(brands).map(({ attributes }) => Object.keys(attributes).length);
  const ofPrograms = Object.values(programs).map(
    ({ transactionTypes, templates }) =>
      Object.keys(templates).length +
      Object.values(transactionTypes).reduce((sum, { attributes }) => sum + 1 + Object.keys(attributes).length, 0),
  );
  return [...ofBrands, ...ofPrograms].reduce((sum, count) => sum + count, 0);
}
