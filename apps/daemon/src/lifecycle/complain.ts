/** Says on stderr what is wrong, a line each. @returns the exit code it was given */
export function complain(lines: readonly string[], exitCode: number): number {
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}
