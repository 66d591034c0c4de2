import type { AttributeSource } from '#contracts';
import { isAbsent, isScalar, valueAt } from './data-path.js';
import type { JsonObject } from './partner-command.js';

export type Mapped<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly detail: string };

export interface AttributeMapping {
  readonly sources: Readonly<Record<string, AttributeSource>>;
  readonly data: object;
  /** The attribute that must not be missing even if its source is not marked as required. */
  readonly uniqueAttribute?: string | null;
}

/** The partner's attributes, each from its source. Absent: omitted, or `invalid` where it is required. */
export function mapAttributes({ sources, data, uniqueAttribute = null }: AttributeMapping): Mapped<JsonObject> {
  const attributes: [string, Scalar][] = [];
  for (const [name, source] of Object.entries(sources)) {
    if (source.kind === 'value') {
      attributes.push([name, source.value]);
      continue;
    }
    const found = scalarAt(data, source.path);
    if (found === 'not-scalar') return refuse(source.path, `must be text, a number or a boolean for ${name}`);
    if (found !== null) attributes.push([name, found.value]);
    else if (source.required || name === uniqueAttribute) return refuse(source.path, `required by ${name}`);
  }
  return { ok: true, value: Object.fromEntries(attributes) };
}

type Scalar = string | number | boolean;

function scalarAt(data: object, path: readonly string[]): { readonly value: Scalar } | 'not-scalar' | null {
  const value = valueAt(data, path);
  if (isAbsent(value)) return null;
  return isScalar(value) ? { value } : 'not-scalar';
}

function refuse(path: readonly string[], rule: string): { readonly ok: false; readonly detail: string } {
  return { ok: false, detail: `data.${path.join('.')}: ${rule}` };
}
