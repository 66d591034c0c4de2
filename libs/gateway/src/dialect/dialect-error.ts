import { ToldError } from '#platform';

/** A dialect that cannot be used; `problems` name each path and rule. Thrown at start and on reload, never later. */
export class DialectError extends ToldError {
  readonly code = 'dialect-invalid';

  constructor(
    readonly source: string,
    readonly problems: readonly string[],
  ) {
    super(`${source}: ${problems.join('; ')}`);
    this.name = 'DialectError';
  }
}
