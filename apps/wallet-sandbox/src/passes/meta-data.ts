import { isOfType, tooLongForIndex } from '../contract/field-schemas.js';
import type { PassContent } from '../contract/wallet-pass.js';
import type { Wording } from '../contract/wordings.js';
import type { Brand } from '../seed/catalogue.js';
import type { BrandAttribute } from '../seed/seed.js';
import type { JsonRecord, Pass } from './pass.js';

/** A value under a key of `passdata.metaData` that two cardholders of the brand must not share. */
export interface MetaDataValue {
  readonly brandId: string;
  readonly attribute: string;
  readonly value: string;
}

/** Such a value with the pass that holds it. */
export interface HeldMetaDataValue extends MetaDataValue {
  readonly passId: number;
  /** Of its cardholder. */
  readonly identity: string;
}

/** The record's own value: an attribute may be called `constructor`. */
export function ownValue(record: JsonRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The values in `metaData` that the brand keeps unique. */
export function uniqueMetaData(brand: Brand, metaData: JsonRecord): MetaDataValue[] {
  return brand.attributes.flatMap((attribute) => {
    if (!isKeptUnique(brand, attribute)) return [];
    const value = ownValue(metaData, attribute.name);
    if (value === undefined || value === null) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [{ brandId: brand.brandId, attribute: attribute.name, value: text }];
  });
}

/** What a pass holds of such values. */
export function heldMetaData(brand: Brand, pass: Pass): HeldMetaDataValue[] {
  const metaData = (pass.passdata['metaData'] ?? {}) as JsonRecord;
  const { passId, identity } = pass;
  return uniqueMetaData(brand, metaData).map((value) => ({ ...value, passId, identity }));
}

/** True while the attribute has a say in what `passdata.metaData` may hold. */
function isGoverning(attribute: BrandAttribute): boolean {
  return attribute.statusCode === 'ACTIVE';
}

/**
 * True when two cardholders of the brand must not share a value. The brand's unique identifier needs no second look:
 * the same value means the same cardholder.
 */
export function isKeptUnique(brand: Brand, attribute: BrandAttribute): boolean {
  const { uniqueIdentifier } = brand;
  const isIdentifier = uniqueIdentifier.kind === 'metaData' && uniqueIdentifier.key === attribute.name;
  return attribute.unique && isGoverning(attribute) && !isIdentifier;
}

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

/** The key that an attribute keeps unique; null where it does not. */
export function uniqueKeyOf(brand: Brand, attribute: BrandAttribute): UniqueKey | null {
  return isKeptUnique(brand, attribute) ? { brandId: brand.brandId, key: attribute.name } : null;
}

interface MetaDataCheck {
  readonly content: PassContent;
  /** `issue`: what is not given will not be there. `update`: it stays as it is; an explicit null clears it. */
  readonly use: 'issue' | 'update';
  readonly wording: Wording;
}

/**
 * What the brand's attributes have against the `passdata.metaData` of an issue or update, or null. Keys that are no
 * attribute are free.
 */
export function checkMetaData(brand: Brand, check: MetaDataCheck): string | null {
  const metaData = check.content.passdata?.metaData ?? {};
  for (const attribute of brand.attributes) {
    const problem = isGoverning(attribute) ? problemOf(attribute, ownValue(metaData, attribute.name), check) : null;
    if (problem !== null) return problem;
  }
  return null;
}

function problemOf(attribute: BrandAttribute, value: unknown, { use, wording }: MetaDataCheck): string | null {
  const { name, dataType, required, unique } = attribute;
  const path = `passdata.metaData.${name}`;
  if (value === undefined && use === 'update') return null;
  if (value === undefined || value === null) return required ? wording.required(path) : null;
  if (!isOfType(dataType, value)) return wording.invalid(path, `must be a ${dataType}`);
  const tooLong = unique ? tooLongForIndex(value) : null;
  return tooLong === null ? null : wording.invalid(path, tooLong);
}

/** Which passes hold which unique metaData values, as far as a batch looks at them, changed as its effects change it. */
export class MetaDataIndex {
  private readonly holders = new Map<string, Map<number, string>>();
  private readonly changed = new Map<number, readonly HeldMetaDataValue[]>();

  constructor(stored: readonly HeldMetaDataValue[]) {
    for (const held of stored) this.add(held);
  }

  /** True when a pass of another cardholder holds the value. */
  isTaken(value: MetaDataValue, identity: string): boolean {
    return [...(this.holders.get(keyOf(value))?.values() ?? [])].some((holder) => holder !== identity);
  }

  /** From now on the pass holds these values and no others. */
  put(passId: number, values: readonly HeldMetaDataValue[]): void {
    for (const passes of this.holders.values()) passes.delete(passId);
    for (const held of values) this.add(held);
    this.changed.set(passId, values);
  }

  /** The passes whose values have been put, with all that they hold now. */
  changes(): { readonly passIds: readonly number[]; readonly held: readonly HeldMetaDataValue[] } {
    return { passIds: [...this.changed.keys()], held: [...this.changed.values()].flat() };
  }

  private add(held: HeldMetaDataValue): void {
    const passes = this.holders.get(keyOf(held)) ?? new Map<number, string>();
    this.holders.set(keyOf(held), passes.set(held.passId, held.identity));
  }
}

function keyOf({ brandId, attribute, value }: MetaDataValue): string {
  return JSON.stringify([brandId, attribute, value]);
}
