import type { ProgramsFile } from '#contracts';
import type { ProgramsInForce, ReloadedPrograms, TakenPrograms } from '#intents';

/** What came of reading the programs file again. Invalid, or dangerous for what is there: nothing was changed. */
export type ReloadOutcome =
  | { readonly kind: 'invalid' | 'dangerous'; readonly problems: readonly string[] }
  | (ReloadedPrograms & { readonly kind: 'done'; readonly programs: readonly string[] });

/** Called with a file that is valid, before anything changes. @returns why it must not come into force; nothing: it does */
export type RecordReload = (read: {
  readonly loaded: ReloadedPrograms;
  readonly taken: TakenPrograms;
}) => Promise<readonly string[]>;

/** How the operations API steers which programs file its process works by. */
export abstract class ProgramsControl {
  /** As this process reports itself to the others. */
  abstract readonly processId: string;
  /** By which file this process works, and since when. */
  abstract readonly inForce: () => ProgramsInForce;
  /** What stands in it. */
  abstract readonly file: () => ProgramsFile;
  /**
   * Reads the programs file again and checks it. `record` is called when it is valid, before anything changes: where it
   * throws or names problems, nothing does. One at a time.
   */
  abstract reload(record: RecordReload): Promise<ReloadOutcome>;
}
