import { dirname, resolve } from 'node:path';

import type { ProgramsFile } from '#contracts';
import { mapFileBytesMax, parseProgramsFile, yamlBytesMax } from '#contracts';
import { sourceProblems } from '#events';
import { readFileStart, readFileStartSync } from '#platform';

/** The files of a house, by their paths, as the daemon is given them. */
export interface ProgramsPaths {
  readonly programs: string;
  /** A file that is the section `sources` (`SOURCES_FILE`). */
  readonly sources: string | null;
  /** `WALLET_DIALECT`; some settings of a program need it. */
  readonly dialect: string | null;
}

type LoadedPrograms =
  | { readonly ok: true; readonly programs: ProgramsFile }
  | { readonly ok: false; readonly isMissing: boolean; readonly problems: readonly string[] };

/** Why a file cannot be read, in words that stand behind its name. */
export type WordOfFailure = (error: unknown) => string;

/** The programs file with its sources and maps as the daemon reads it. Each problem begins with the file's name. */
export async function loadPrograms(paths: ProgramsPaths, wordOf: WordOfFailure): Promise<LoadedPrograms> {
  const dialect = paths.dialect === null ? {} : await loadDialect(paths.dialect);
  if (typeof dialect === 'string') return { ok: false, isMissing: false, problems: [dialect] };
  const [programs, sources] = await Promise.all([paths.programs, paths.sources].map((path) => readOf(path, wordOf)));
  const problems = [programs, sources].filter((read) => typeof read === 'string');
  if (problems.length > 0) return { ok: false, isMissing: true, problems };
  return judged(paths, { dialect, programs: programs as Buffer, sources: sources as Buffer | null });
}

/** The bytes of a file, or what is wrong with it. */
async function readOf(path: string | null, wordOf: WordOfFailure): Promise<Buffer | string | null> {
  return path === null
    ? null
    : readFileStart(path, yamlBytesMax).catch((error: unknown) => `${path}: ${wordOf(error)}`);
}

interface ReadFiles {
  readonly dialect: Readonly<Record<string, unknown>>;
  readonly programs: Buffer;
  readonly sources: Buffer | null;
}

function judged(paths: ProgramsPaths, { dialect, programs, sources }: ReadFiles): LoadedPrograms {
  const folder = dirname(paths.sources ?? paths.programs);
  const result = parseProgramsFile(programs, {
    dialect,
    ...(sources !== null && { sources }),
    readMapFile: (name) => readFileStartSync(resolve(folder, name), mapFileBytesMax).toString('utf8'),
  });
  const problems = result.ok ? sourceProblems(result.value) : result.errors;
  if (result.ok && problems.length === 0) return { ok: true, programs: result.value };
  return { ok: false, isMissing: false, problems: problems.map((problem) => `${paths.programs}: ${problem}`) };
}

/** The dialect's entries, or what is wrong with them. */
async function loadDialect(path: string): Promise<Readonly<Record<string, unknown>> | string> {
  const { DialectError, loadDialectFile } = await import('#gateway');
  try {
    return await loadDialectFile(path);
  } catch (error) {
    if (error instanceof DialectError) return error.message;
    throw error;
  }
}
