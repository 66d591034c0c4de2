import type { Environment, Role } from './environment.js';

export interface EnvironmentOptions {
  /** The roles of this process; by default `LOYALTYD_ROLES` decides. */
  readonly roles?: readonly Role[];
  /** Reads the file a `NAME_FILE` variable names; may throw, which becomes that variable's error. */
  readonly readFile: (path: string) => string;
  /** `false` in `dev`, which prints a one-time token: the operations role then starts without tokens or OIDC. */
  readonly requireOperators?: boolean;
}

/** One message per variable, `NAME: rule`; never a secret's value. */
export type EnvironmentResult =
  { readonly ok: true; readonly value: Environment } | { readonly ok: false; readonly errors: readonly string[] };

/** Validates every variable of contracts.md section 3. Never throws. */
export function readEnvironment(
  _env: Readonly<Record<string, string | undefined>>,
  _options: EnvironmentOptions,
): EnvironmentResult {
  throw new Error('not yet');
}
