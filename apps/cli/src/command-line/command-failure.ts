/** Exit codes of contracts.md section 4. */
export const exitOk = 0;
export const exitError = 1;
export const exitUsage = 2;
export const exitNothingMatched = 3;
export const exitSomeFailed = 4;
export const exitNotAllowed = 5;

/** A command cannot do what it was asked; the message is one line for people. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    message: string,
    readonly exitCode: number = exitError,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The words of the command are wrong, or a file or variable that they need is missing. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, exitUsage);
}
