import { pathText } from '../describe-issues.js';
import { readYaml } from '../read-yaml.js';
import {
  checkProgram,
  checkProvision,
  checkSharedDialects,
  checkSharedPoints,
  checkSharedValues,
} from './check-program.js';
import { programsFileSchema } from './program-schema.js';
import { countDeclared, type ProgramsFile } from './program.js';
import { sortedKeys } from './sorted-keys.js';

export interface ProgramsContext {
  /** The dialect the programs start from (`WALLET_DIALECT`); some settings of a program are allowed only with it. */
  readonly dialect?: Readonly<Record<string, unknown>>;
}

/** Every error names its path: `programs.coffee-club.currency: ...`. */
type ProgramsResult =
  | {
      readonly ok: true;
      readonly value: ProgramsFile;
      /** Equal for files that mean the same (comments, order and spelled-out defaults do not count); hash this. */
      readonly canonicalText: string;
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/**
 * Reads and validates `loyaltyd.yaml` (contracts.md section 2), text or the bytes of a file: YAML, schema with every default,
 * then the rules between settings. Never throws. The value is frozen.
 */
export function parseProgramsFile(source: string | Uint8Array, context: ProgramsContext = {}): ProgramsResult {
  const yaml = readYaml(source);
  if (!yaml.ok) return yaml;
  const parsed = programsFileSchema.safeParse(yaml.value);
  if (!parsed.success) return { ok: false, errors: parsed.error.issues.map(describe) };
  const value = withoutEmptySection(parsed.data);
  const errors = Object.entries(value.programs).flatMap(([name, program]) =>
    checkProgram(program, context.dialect ?? {}).map(({ path, rule }) => `programs.${name}.${path}: ${rule}`),
  );
  const ofFile = [checkSharedValues, checkSharedPoints, checkSharedDialects, checkProvision].flatMap((check) =>
    check(value),
  );
  errors.push(...ofFile.map(({ path, rule }) => `${path}: ${rule}`));
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, value: deepFreeze(value), canonicalText: JSON.stringify(value, sortedKeys) };
}

/** A section that declares nothing means the same as none: intents keep the hash of the file that routed them. */
function withoutEmptySection(file: ProgramsFile): ProgramsFile {
  const { provision, ...rest } = file;
  return provision === undefined || countDeclared(provision) > 0 ? file : rest;
}

function describe({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return `${path.length === 0 ? '(the file)' : pathText(path)}: ${message}`;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
