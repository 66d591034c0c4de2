import { readFile } from 'node:fs/promises';

import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';

import { asFileProblem } from './input/file-problem.js';

export interface ProgramsSource {
  readonly path: string;
  /** The dialect file that the daemon is given (`WALLET_DIALECT`); some settings of a program need it. */
  readonly dialectPath: string | null;
}

export type LoadedPrograms =
  | { readonly ok: true; readonly programs: ProgramsFile }
  | { readonly ok: false; readonly isMissing: boolean; readonly problems: readonly string[] };

/** The programs file as the daemon reads it. */
export async function loadPrograms({ path, dialectPath }: ProgramsSource): Promise<LoadedPrograms> {
  const dialect = dialectPath === null ? null : await loadDialect(dialectPath);
  if (typeof dialect === 'string') return { ok: false, isMissing: false, problems: [dialect] };
  const text = await readFile(path, 'utf8').catch(asFileProblem);
  if (typeof text !== 'string') return { ok: false, isMissing: true, problems: [`${path}: ${text.message}`] };
  const result = parseProgramsFile(text, dialect === null ? {} : { dialect });
  if (result.ok) return { ok: true, programs: result.value };
  return { ok: false, isMissing: false, problems: result.errors.map((problem) => `${path}: ${problem}`) };
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
