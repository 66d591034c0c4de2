import { problemsMax } from '../limits.js';

/** One thing that is wrong with an input: where, and which rule it breaks. Never a value. */
export interface InputProblem {
  readonly path: string;
  readonly rule: string;
}

/** An input of which no request can be made. Stays inside the gateway: callers get a report or a `GatewayError`. */
export class InvalidRequest extends Error {
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super('invalid request');
    this.problems = problems.slice(0, problemsMax);
  }

  /** `content.person.email: Invalid input: expected string` */
  get texts(): readonly string[] {
    return this.problems.map(({ path, rule }) => `${path}: ${rule}`);
  }
}

/** @throws InvalidRequest */
export function refuse(path: string, rule: string): never {
  throw new InvalidRequest([{ path, rule }]);
}
