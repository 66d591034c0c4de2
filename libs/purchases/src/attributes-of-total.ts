import type { AttributeSource, TransactionMapping } from '#contracts';
import { pathsOf } from '#contracts';
import type { Money } from '#events/core';
import { currencyDigits, isAbsent, isScalar, joinParts, valueAt } from '#events/core';
import type { OfTotal, TotalPart } from '#intents/core';

type Path = readonly string[];
type Data = object & { readonly total?: Money | null | undefined };

/** What of the total lies at a path; null: nothing that its amount decides. */
function saidAt([top, member, ...below]: Path): 'minor' | 'digits' | null {
  if (top !== 'total' || below.length > 0) return null;
  return member === 'minor' || member === 'digits' ? member : null;
}

const isOfTotal = (source: AttributeSource): boolean => pathsOf(source).some((path) => saidAt(path) !== null);

/** They change with the file, and are asked for of each sale. */
const namesByMapping = new WeakMap<TransactionMapping, readonly string[]>();

function namesOf(mapping: TransactionMapping): readonly string[] {
  const known = namesByMapping.get(mapping);
  if (known !== undefined) return known;
  const made = Object.entries(mapping.attributes).flatMap(([name, source]) => (isOfTotal(source) ? [name] : []));
  namesByMapping.set(mapping, made);
  return made;
}

function partAt(path: Path, data: object, separator: string): TotalPart | null {
  const value = valueAt(data, path);
  if (isAbsent(value) || !isScalar(value)) return null;
  const of = saidAt(path);
  return of === null ? { text: joinParts([String(value)], separator) } : { of };
}

/** None: it has no value. */
function partsOf(source: AttributeSource | undefined, data: object): readonly TotalPart[] {
  if (source?.kind !== 'path' && source?.kind !== 'join') return [];
  const separator = source.kind === 'join' ? source.separator : '';
  const parts = pathsOf(source).map((path) => partAt(path, data, separator));
  const found = parts.filter((part) => part !== null);
  if (found.length < parts.length) return [];
  return found.flatMap((part, index) => (index === 0 ? [part] : [{ text: separator }, part]));
}

/**
 * The attributes that a mapping makes of an event's total: they go with the amount.
 * @param before of a correction @returns undefined: there are none
 */
export function attributesOfTotal(
  mapping: TransactionMapping,
  data: Data,
  before?: OfTotal['before'],
): OfTotal | undefined {
  const names = namesOf(mapping);
  const { total } = data;
  if (names.length === 0 || !total) return undefined;
  const made = names.map((name) => [name, partsOf(mapping.attributes[name], data)] as const);
  const attributes = Object.fromEntries(made.filter(([, parts]) => parts.length > 0));
  return { digits: total.digits ?? currencyDigits(total.currency), ...(before && { before }), attributes };
}
