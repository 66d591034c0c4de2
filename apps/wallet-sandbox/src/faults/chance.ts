/** Which call a number is drawn for. */
interface Draw {
  readonly ruleIndex: number;
  /** Of the calls that the rule has seen, from 1. */
  readonly ordinal: number;
  /** Further numbers of the same call; the first is 0. */
  readonly n?: number;
}

/**
 * A number in [0, 1) that depends on nothing but its arguments: the n-th call of a rule draws the same number in every
 * run of the same seed, whatever else happens in between.
 */
export function chanceAt(seed: number, { ruleIndex, ordinal, n = 0 }: Draw): number {
  const mixed = scramble(
    scramble(scramble(seed ^ Math.imul(n, 0x27d4eb2f)) ^ Math.imul(ruleIndex + 1, 0x9e3779b1)) ^
      Math.imul(ordinal, 0x85ebca6b),
  );
  return (mixed >>> 0) / 2 ** 32;
}

/** The finalizer of MurmurHash3: every input bit reaches every output bit. */
function scramble(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
