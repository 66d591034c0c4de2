import type { ProgramsFile } from '#contracts';

export interface LoadedPrograms {
  readonly file: ProgramsFile;
  readonly hash: Uint8Array;
}
