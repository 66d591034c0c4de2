import { type CompiledDialect, compileDialect } from './compile-dialect.js';
import { parseDialect } from './parse-dialect.js';

type Layer = Readonly<Record<string, unknown>>;

/** One program's overrides, by the partner's ids of that program. */
export interface ProgramDialect {
  /** Our name of the program, for errors. */
  readonly program: string;
  readonly brandId: string;
  readonly programId: string;
  readonly overrides: Layer;
}

export interface DialectLayers {
  /** Entries of the `WALLET_DIALECT` file; `null` where there is none. */
  readonly file: Layer | null;
  readonly programs: readonly ProgramDialect[];
}

/** Which dialect is spoken with which program (contracts.md sections 2 and 6). */
export class DialectBook {
  private base: CompiledDialect;
  private programs: ReadonlyMap<string, CompiledDialect>;

  /** @throws DialectError */
  constructor(layers: DialectLayers = { file: null, programs: [] }) {
    this.base = compileDialect(parseDialect('dialect', layers.file));
    this.programs = compilePrograms(layers);
  }

  /**
   * Takes new layers after a reload. All or nothing: an invalid layer changes nothing.
   * @throws DialectError
   */
  replace(layers: DialectLayers): void {
    const next = new DialectBook(layers);
    this.base = next.base;
    this.programs = next.programs;
  }

  /** A call about a brand as a whole names no program: it speaks the file's dialect. */
  of(program: { readonly brandId: string; readonly programId?: string }): CompiledDialect {
    if (this.programs.size === 0 || program.programId === undefined) return this.base;
    return this.programs.get(keyOf(program)) ?? this.base;
  }
}

function compilePrograms({ file, programs }: DialectLayers): ReadonlyMap<string, CompiledDialect> {
  const overridden = programs.filter(({ overrides }) => Object.keys(overrides).length > 0);
  return new Map(
    overridden.map((entry) => {
      const source = `programs.${entry.program}.dialect`;
      return [keyOf(entry), compileDialect(parseDialect(source, file, entry.overrides))];
    }),
  );
}

function keyOf({ brandId, programId }: { readonly brandId: string; readonly programId?: string }): string {
  return JSON.stringify([brandId, programId]);
}
