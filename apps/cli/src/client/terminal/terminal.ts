/** Where a command's words go to and come from. A test plays its own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is read by a person, not by a program. */
  readonly isOutputSeen: boolean;
  /** Standard error is read by a person. */
  readonly isErrorSeen: boolean;
  /** A person is there to answer. */
  readonly isInteractive: boolean;
  /** Writes to standard output; resolves when it is written. @throws {ReaderGone} */
  print(text: string): Promise<void>;
  /** Writes one line to standard error. */
  tell(line: string): void;
  /** Writes to standard error over the line before, which the last one ends; only where `isErrorSeen`. */
  retell(line: string, isLast: boolean): void;
  /** Asks the person and waits for a line. */
  ask(question: string): Promise<string>;
  /** The same without showing what is typed. */
  askSecret(question: string): Promise<string>;
  /** Has something said before Ctrl-C ends the process. @returns what takes that back */
  onInterrupt(say: () => void): () => void;
  /** All of standard input. @throws {CommandFailure} where it is longer */
  readInput(bytesMax: number): Promise<Buffer>;
}

/** Whoever read our standard output has gone away, as `head` does. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';

  constructor() {
    super('nobody reads the output any more');
  }
}
