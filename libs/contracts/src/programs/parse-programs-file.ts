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
import { checkSources, type ReadMapFile, readMaps } from './source-schema.js';

export interface ProgramsContext {
  /** The dialect the programs start from (`WALLET_DIALECT`); some settings of a program are allowed only with it. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  /** The content of a file of its own (`SOURCES_FILE`) that is the section `sources`. */
  readonly sources?: string | Uint8Array;
  /** Reads what a source's `mapFile` names, relative to the file that names it. May throw. Absent: such a source is refused. */
  readonly readMapFile?: ReadMapFile;
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
  const yaml = withSources(readYaml(source), context.sources);
  if (!yaml.ok) return yaml;
  const parsed = programsFileSchema.safeParse(yaml.value);
  if (!parsed.success) return { ok: false, errors: parsed.error.issues.map(describe) };
  const { sources, problems } = readMaps(parsed.data.sources, context.readMapFile);
  const value = withoutEmptySections({ ...parsed.data, sources });
  const errors = Object.entries(value.programs).flatMap(([name, program]) =>
    checkProgram(program, context.dialect ?? {}).map(({ path, rule }) => `programs.${name}.${path}: ${rule}`),
  );
  const ofFile = [checkSharedValues, checkSharedPoints, checkSharedDialects, checkProvision, checkSources].flatMap(
    (check) => check(value),
  );
  errors.push(...[...ofFile, ...problems].map(({ path, rule }) => `${path}: ${rule}`));
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, value: deepFreeze(value), canonicalText: JSON.stringify(value, sortedKeys) };
}

type ReadFile = ReturnType<typeof readYaml>;

/** A file of its own is the section: one of the two says what it says. */
function withSources(file: ReadFile, sources: string | Uint8Array | undefined): ReadFile {
  if (!file.ok || sources === undefined || typeof file.value !== 'object' || file.value === null) return file;
  if (Object.hasOwn(file.value, 'sources')) return refusedSources(['not in the programs file beside SOURCES_FILE']);
  const section = readYaml(sources);
  return section.ok ? { ok: true, value: { ...file.value, sources: section.value } } : refusedSources(section.errors);
}

const refusedSources = (errors: readonly string[]): ReadFile => ({
  ok: false,
  errors: errors.map((error) => `sources: ${error}`),
});

/** A section that declares nothing means the same as none: intents keep the hash of the file that routed them. */
function withoutEmptySections(file: ProgramsFile): ProgramsFile {
  const { provision, sources, ...rest } = file;
  return {
    ...rest,
    ...(provision !== undefined && countDeclared(provision) > 0 && { provision }),
    ...(sources !== undefined && Object.keys(sources).length > 0 && { sources }),
  };
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
