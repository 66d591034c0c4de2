import type { ProgramsFile } from '#contracts';
import type { ProgramsInForce, ReloadedPrograms, TakenPrograms } from '#intents';

/** What came of reading the programs file again. Refused: nothing was changed. */
export type ReloadOutcome =
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  | (ReloadedPrograms & { readonly kind: 'done'; readonly programs: readonly string[] });

/** Called with a file that is valid, before anything changes. */
export type RecordReload = (read: {
  readonly loaded: ReloadedPrograms;
  readonly taken: TakenPrograms;
}) => Promise<void>;

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
   * throws, nothing does. One at a time.
   */
  abstract reload(record: RecordReload): Promise<ReloadOutcome>;
}
