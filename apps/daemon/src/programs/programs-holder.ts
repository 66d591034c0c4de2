import { stat } from 'node:fs/promises';

import type { ProgramsContext, ProgramsFile } from '#contracts';
import { parseProgramsFile, yamlBytesMax } from '#contracts';
import type { TakenPrograms } from '#intents';
import { digest, readFileStart, SafeError } from '#platform';

/** The programs file cannot be used; one message per problem, each with its path. */
export class ProgramsFileError extends SafeError {
  override readonly name = 'ProgramsFileError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Of changes that do harm. */
export const howToAccept =
  'what can be accepted: loyaltyd reload --accept NAME --reason TEXT, by an admin; where no process runs: loyaltyd accept-programs NAME --by WHO --reason TEXT';

export interface LoadedPrograms {
  readonly file: ProgramsFile;
  /** 16 bytes that name this content; kept with every intent that it routed. */
  readonly hash: Uint8Array;
}

/** As it is kept for those who ask later what it was. @param host of this process, as others know it */
export function takenPrograms({ file, hash }: LoadedPrograms, host: string): TakenPrograms {
  return { hash: Buffer.from(hash).toString('hex'), content: JSON.stringify(file), host };
}

async function load(path: string, dialect: ProgramsContext['dialect']): Promise<LoadedPrograms> {
  const bytes = await readFileStart(path, yamlBytesMax).catch((error: unknown) => {
    throw new ProgramsFileError([`${path}: cannot be read (${error instanceof Error ? error.message : 'unknown'})`]);
  });
  const result = parseProgramsFile(bytes, dialect === undefined ? {} : { dialect });
  if (!result.ok) throw new ProgramsFileError(result.errors.map((problem) => `${path}: ${problem}`));
  return { file: result.value, hash: digest(result.canonicalText) };
}

/** The programs file in force. A re-read that fails changes nothing. */
export class ProgramsHolder {
  private constructor(
    /** Reads the file again without taking it over. @throws {ProgramsFileError} */
    readonly read: () => Promise<LoadedPrograms>,
    private loaded: LoadedPrograms,
  ) {}

  /** @throws {ProgramsFileError} */
  static async open(path: string, dialect?: ProgramsContext['dialect']): Promise<ProgramsHolder> {
    const read = (): Promise<LoadedPrograms> => load(path, dialect);
    return new ProgramsHolder(read, await read());
  }

  get current(): LoadedPrograms {
    return this.loaded;
  }

  takeOver(loaded: LoadedPrograms): void {
    this.loaded = loaded;
  }
}

/** Changes whenever the file is written, or replaced as Kubernetes does; null where there is none. */
export async function fileSignature(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return null;
  }
}
