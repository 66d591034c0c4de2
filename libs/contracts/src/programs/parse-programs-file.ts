import type { ProgramsFile } from './program.js';

export interface ProgramsContext {
  /** The dialect the programs start from (`WALLET_DIALECT`); some settings of a program are allowed only with it. */
  readonly dialect?: Readonly<Record<string, unknown>>;
}

/** Every error names its path: `programs.coffee-club.currency: ...`. */
export type ProgramsResult =
  | {
      readonly ok: true;
      readonly value: ProgramsFile;
      /** Equal for files that mean the same (comments, order and spelled-out defaults do not count); hash this. */
      readonly canonicalText: string;
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Reads and validates the text of `loyaltyd.yaml` (contracts.md section 2). Never throws. */
export function parseProgramsFile(_text: string, _context: ProgramsContext = {}): ProgramsResult {
  throw new Error('not yet');
}
