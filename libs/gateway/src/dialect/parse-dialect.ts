import { DialectError } from './dialect-error.js';
import { type Dialect, type DialectInput, dialectSchema } from './dialect-schema.js';

type Layer = Readonly<Record<string, unknown>>;

/** An entry of earlier releases: `applied` held for every operation, which is more than anybody who set it had seen. */
const EMPTY_SUCCESS_IS_GONE =
  'emptySuccess: is replaced by success.proof, by operation: where it was `applied`, write for instance ' +
  '`success: { proof: { transaction: any } }`; where it was `unknown`, leave it out';

/**
 * Lays the layers over each other, later ones winning, lists replaced as a whole, and fills in the defaults.
 * @param source named in errors: a file, or `programs.coffee-club.dialect`
 * @throws DialectError
 */
export function parseDialect(source: string, ...layers: readonly (Layer | DialectInput | null | undefined)[]): Dialect {
  const merged = layers.reduce<unknown>((below, above) => overlay(below, above ?? {}), {});
  if (isLayer(merged) && Object.hasOwn(merged, 'emptySuccess')) throw new DialectError(source, [EMPTY_SUCCESS_IS_GONE]);
  const parsed = dialectSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`);
  throw new DialectError(source, problems);
}

function overlay(below: unknown, above: unknown): unknown {
  if (!isLayer(below) || !isLayer(above)) return above;
  const merged = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above)) merged.set(key, overlay(merged.get(key), value));
  return Object.fromEntries(merged);
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
