import type { Value } from './values.js';

/**
 * What is known of an expression before there is a record: a count (and a number of the map itself), a number that a helper
 * made of a record's text, true or false, or anything else. `never`: nothing is known yet.
 */
export type Kind = 'never' | 'count' | 'number' | 'boolean' | 'other';

/** What a function may ask of the evaluation that it runs in. */
export interface Run {
  /** Counts work: ends an evaluation that takes too much. @throws MapRefusal */
  charge(steps: number): void;
  /** Text that was made, not longer than it may be. @throws MapRefusal */
  made(text: string): string;
  /** Calls what was given as a function. @param at the place in a list, for the path of a refusal. @throws MapRefusal */
  call(callee: Value, given: readonly Value[], at: number | null): Value;
}

/** A function that maps may use. */
export interface Native {
  readonly name: string;
  /** How many arguments it takes, from and to. */
  readonly takes: readonly [min: number, max: number];
  /** Applied to what it stands behind, where the first one is left out: `name.$uppercase()`. */
  readonly isMethod?: boolean;
  /** What it comes to. */
  readonly kind: Kind;
  /** Arguments that must be text of the map itself. */
  readonly literals?: readonly number[];
  /** An argument that must be true or false, or a function that is. */
  readonly decides?: number;
  /** An argument that is a function, and which parameter of it is a place in a list. */
  readonly walks?: readonly [argument: number, place: number];
  /** What is wrong with arguments that are text of the map itself. */
  judge?(literals: readonly (string | undefined)[]): string | null;
  /** @throws MapRefusal */
  run(given: readonly Value[], run: Run): Value;
}
