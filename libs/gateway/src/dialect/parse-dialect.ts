import { readYaml, yamlBytesMax } from '#contracts';
import { readFileStart, SafeError } from '#platform';
import { type Dialect, type DialectInput, dialectSchema } from './dialect-schema.js';

/** A dialect that cannot be used; `problems` name each path and rule. Thrown at start and on reload, never later. */
export class DialectError extends SafeError {
  readonly code = 'dialect-invalid';

  constructor(
    readonly source: string,
    readonly problems: readonly string[],
  ) {
    super(`${source}: ${problems.join('; ')}`);
    this.name = 'DialectError';
  }
}

/** Entries as a file or a program writes them, unchecked. */
export type DialectLayer = Readonly<Record<string, unknown>>;

/** An entry of earlier releases: `applied` held for every operation, which is more than anybody who set it had seen. */
const EMPTY_SUCCESS_IS_GONE =
  'emptySuccess: is replaced by success.proof, by operation: where it was `applied`, write for instance ' +
  '`success: { proof: { transaction: any } }`; where it was `unknown`, leave it out';

/**
 * Lays the layers over each other, later ones winning, lists replaced as a whole, and fills in the defaults.
 * @param source named in errors: a file, or `programs.coffee-club.dialect`
 * @throws DialectError
 */
export function parseDialect(
  source: string,
  ...layers: readonly (DialectLayer | DialectInput | null | undefined)[]
): Dialect {
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

function isLayer(value: unknown): value is DialectLayer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the file named by `WALLET_DIALECT` and checks it. An empty file is a dialect without overrides.
 * @returns the file's own entries, to be laid under each program's overrides
 * @throws DialectError when it cannot be read, is no YAML or breaks a rule
 */
export async function loadDialectFile(path: string): Promise<DialectLayer> {
  const read = readYaml(await bytesOf(path));
  if (!read.ok) throw new DialectError(path, read.errors);
  const entries = read.value ?? {};
  if (typeof entries !== 'object' || Array.isArray(entries)) throw new DialectError(path, ['(top): must be a mapping']);
  const layer = entries as Record<string, unknown>;
  parseDialect(path, layer);
  return layer;
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFileStart(path, yamlBytesMax);
  } catch (error) {
    throw new DialectError(path, [`cannot be read: ${(error as Error).message}`]);
  }
}
