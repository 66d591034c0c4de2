/** What is wrong with the command line of one of our programs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const usageExitCode = 2;

/** The options of this process, or its end: what is wrong, and the help, on standard error. */
export function optionsOrExit<Options>(read: (args: readonly string[]) => Options, helpText: string): Options {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${helpText}\n`);
    process.exit(usageExitCode);
  }
}
