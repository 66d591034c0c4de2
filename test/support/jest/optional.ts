import { spawnSync } from 'node:child_process';

/** What says no more than that it is there. */
const lookMs = 10_000;

/** Which of these commands are not here, and how to get them; null: all are. */
export const missingCommands = (...commands: readonly string[]): string | null => {
  const missing = commands.filter((command) => {
    const { error, status } = spawnSync(command, ['--version'], { timeout: lookMs, stdio: 'ignore' });
    return error !== undefined || status !== 0;
  });
  return missing.length === 0 ? null : `no ${missing.join(', no ')} on the PATH: install it to run this`;
};

const named = (title: string, missing: string): string => `${title} [skipped, ${missing}]`;

/**
 * Tests that want more than Node and what npm brings. Where that is missing they are reported as skipped, each with the reason;
 * all reasons are repeated at the end of the run.
 * @param missing what is not here and how to get it; null: all is here
 */
export const itUnless = (
  missing: string | null,
): Pick<typeof it, 'each'> & ((...test: Parameters<typeof it>) => void) => {
  if (missing === null) return it;
  const skip = (...[title, body, timeoutMs]: Parameters<typeof it>): void =>
    it.skip(named(title, missing), body, timeoutMs);
  const each = ((...table: [never]) => {
    const skipEach = it.skip.each(...table) as (title: string, ...rest: readonly unknown[]) => void;
    return (title: string, ...rest: readonly unknown[]) => skipEach(named(title, missing), ...rest);
  }) as typeof it.each;
  return Object.assign(skip, { each });
};

/** The same for a whole group, whose body may need what is missing: it is not run. */
export const describeUnless = (missing: string | null, title: string, body: () => void): void => {
  if (missing === null) describe(title, body);
  else describe(title, () => it.skip(named('all of it', missing), () => undefined));
};
