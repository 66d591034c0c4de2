import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import type { ProgramsContext, ProgramsFile } from '#contracts';
import { mapFileBytesMax, parseProgramsFile, yamlBytesMax } from '#contracts';
import { type JudgeFormat, sourceProblems } from '#events';
import type { TakenPrograms } from '#intents';
import { digest, readFileStart, readFileStartSync, SafeError } from '#platform';

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

/** What a programs file is read with. */
interface ProgramsParts {
  readonly dialect?: ProgramsContext['dialect'];
  /** Path of a file of its own that is the section `sources`. */
  readonly sourcesFile?: string | null;
  /** Absent: none of its sources is of a format that must be read. */
  readonly judgeFormat?: JudgeFormat;
}

async function readBytes(path: string): Promise<Buffer> {
  return readFileStart(path, yamlBytesMax).catch((error: unknown) => {
    throw new ProgramsFileError([`${path}: cannot be read (${error instanceof Error ? error.message : 'unknown'})`]);
  });
}

/** @param files every file that is read is added */
async function load(
  path: string,
  { dialect = {}, sourcesFile = null, judgeFormat = () => null }: ProgramsParts,
  files: Set<string>,
): Promise<LoadedPrograms> {
  for (const file of sourcesFile === null ? [path] : [path, sourcesFile]) files.add(file);
  const bytes = await readBytes(path);
  const result = parseProgramsFile(bytes, {
    dialect,
    ...(sourcesFile !== null && { sources: await readBytes(sourcesFile) }),
    readMapFile: (name) => {
      const file = resolve(dirname(sourcesFile ?? path), name);
      files.add(file);
      return readFileStartSync(file, mapFileBytesMax).toString('utf8');
    },
  });
  const problems = result.ok ? sourceProblems(result.value, judgeFormat) : result.errors;
  if (!result.ok || problems.length > 0) throw new ProgramsFileError(problems.map((problem) => `${path}: ${problem}`));
  return { file: result.value, hash: digest(result.canonicalText) };
}

/** The programs file in force. A re-read that fails changes nothing. */
export class ProgramsHolder {
  /** Those that were read last: the programs file, and what it names. */
  private files: ReadonlySet<string> = new Set();

  private constructor(
    private readonly path: string,
    private readonly parts: ProgramsParts,
    private loaded: LoadedPrograms | null = null,
  ) {}

  /** @throws {ProgramsFileError} */
  static async open(path: string, parts: ProgramsParts = {}): Promise<ProgramsHolder> {
    const holder = new ProgramsHolder(path, parts);
    holder.takeOver(await holder.read());
    return holder;
  }

  get current(): LoadedPrograms {
    if (this.loaded === null) throw new Error('no programs file was read');
    return this.loaded;
  }

  /** Reads the files again without taking them over. @throws {ProgramsFileError} */
  async read(): Promise<LoadedPrograms> {
    const files = new Set<string>();
    try {
      return await load(this.path, this.parts, files);
    } finally {
      this.files = files;
    }
  }

  takeOver(loaded: LoadedPrograms): void {
    this.loaded = loaded;
  }

  /** Of all files that were read: see `fileSignature`. */
  async signature(): Promise<string | null> {
    const signatures = await Promise.all([...this.files].map(fileSignature));
    return signatures.includes(null) ? null : signatures.join(' ');
  }
}

/** Changes whenever the file is written, or replaced as Kubernetes does; null where there is none. */
async function fileSignature(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return null;
  }
}
