import type { Terminal } from '../terminal/terminal.js';

/** A command's exit code, handed over because Commander does not pass on what an action returns. */
export type Finish = (exitCode: number) => void;

/** What commands are run with. */
export interface Shell {
  readonly terminal: Terminal;
  readonly finish: Finish;
}
