/** What a probe found out about one entry. */
export interface Finding {
  readonly entry: string;
  readonly what: string;
  /** What the dialect in force says. */
  readonly assumed: unknown;
  readonly seen: string;
  readonly verdict: 'right' | 'wrong' | 'cannot tell';
  /** What to do about it; null where nothing is to be done. */
  readonly set: string | null;
}
