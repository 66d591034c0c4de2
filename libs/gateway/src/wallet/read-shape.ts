import type { z } from 'zod';

/** An answer as far as it could be read, and the paths of documented fields that were missing or mistyped. */
export interface ReadShape<Value> {
  readonly value: Partial<Value>;
  readonly alarms: readonly string[];
}

/** Reads an answer's object by its documented shape; what does not fit is left out and told, never an error. */
export function readShape<Value>(schema: z.ZodType<Value>, json: Readonly<Record<string, unknown>>): ReadShape<Value> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data, alarms: [] };
  const value = structuredClone(json);
  const paths = parsed.error.issues.map(({ path }) => path);
  for (const path of paths) removeAt(value, path);
  return { value: value as Partial<Value>, alarms: [...new Set(paths.map((path) => path.join('.')))] };
}

function removeAt(root: unknown, path: readonly PropertyKey[]): void {
  const leaf = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (isHolder(at) ? at[key] : undefined), root);
  if (leaf !== undefined && isHolder(holder)) Reflect.deleteProperty(holder, leaf);
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
