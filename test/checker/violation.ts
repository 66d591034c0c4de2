/** The invariants of design.md section 9. */
export type InvariantId = `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `I1${Digit}` | `I2${Exclude<Digit, 7 | 8 | 9>}`;

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** An invariant that a history breaks, with what shows it. */
export interface Violation {
  readonly invariant: InvariantId;
  /** One sentence, no personal values. */
  readonly problem: string;
  /** When it was broken; null: it is the state in the end that is wrong. */
  readonly at: number | null;
  readonly laneId: number | null;
  readonly seq: number | null;
  readonly attempt: number | null;
  /** The rows that show it. */
  readonly rows: readonly unknown[];
}

/** What lies outside the promise: counted, never hidden, never a violation. */
export type ExposureBucket =
  /** An effect that came later than `inFlightMs` after its attempt was lost sight of. */
  | 'late-commit'
  /** The partner took a value or a member twice that it is configured to take once. */
  | 'unenforcing-partner'
  /** A duplicate was taken for our own lost attempt, but somebody else had used the value. */
  | 'value-taken-by-others'
  /** The partner applied one request twice. */
  | 'partner-applied-twice'
  /** A rebuilt lane would send the same in the same order, with other numbers in head, redo and ahead. */
  | 'rebuild-in-other-numbers'
  /** The programs file asks for at least once. */
  | 'at-least-once'
  /** The pass that an enrolment had issued was gone, and it was issued anew. */
  | 'issued-anew'
  /** An operator had something sent again whose outcome nobody knew. */
  | 'operator-replay';

/** First broken first: by time, what has no time last; among equals by number. */
export function byTimeAndNumber(one: Violation, other: Violation): number {
  return (one.at ?? Infinity) - (other.at ?? Infinity) || numberOf(one) - numberOf(other) || 0;
}

function numberOf({ invariant }: Violation): number {
  return Number(invariant.slice(1));
}
