import { isKeptUnique } from '../brand-attributes/governing.js';
import type { Brand } from '../seed/catalogue.js';
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
  readonly uniqueId: string;
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
  const { passId, uniqueId } = pass;
  return uniqueMetaData(brand, metaData).map((value) => ({ ...value, passId, uniqueId }));
}
