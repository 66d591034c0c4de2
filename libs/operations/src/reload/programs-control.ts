import type { ReloadedPrograms } from '#intents';

/** What came of reading the programs file again. Refused: nothing was changed. */
export type ReloadOutcome =
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  | (ReloadedPrograms & { readonly kind: 'done'; readonly programs: readonly string[] });

/** How the operations API steers which programs file its process works by. */
export interface ProgramsControl {
  /** As this process reports itself to the others. */
  readonly processId: string;
  /**
   * Reads the programs file again and checks it. `record` is called when it is valid, before anything changes: where it
   * throws, nothing does. One at a time.
   */
  reload(record: (loaded: ReloadedPrograms) => Promise<void>): Promise<ReloadOutcome>;
}
