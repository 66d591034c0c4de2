export type Limit = { readonly atLeast: number } | { readonly atMost: number };

/** A promise about one figure. */
export type Bar = Limit & {
  readonly text: string;
  /** Whose figure; default: the first entrant's. */
  readonly of?: string;
  /** Default: the rate. `cpu`: microseconds per unit on top of what `against` needs. `statements`: per unit. */
  readonly figure?: 'rate' | 'cpu' | 'statements';
  /** The entrants whose best rate ours is divided by, round by round; none: our rate itself. */
  readonly against: readonly string[];
};
