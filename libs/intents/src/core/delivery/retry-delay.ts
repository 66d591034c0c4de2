/** First delay before a retry. */
export const retryDelayMsMin = 500;
/**
 * From a refusal that there is no pass to the lookup: a partner's parts may lag behind one another, and where the lookup then finds
 * the pass, the next such refusal ends it.
 */
export const deniedPassDelayMsMin = 3_000;
/** Longest delay we choose ourselves: a partner that comes back is used again within five minutes. */
export const retryDelayMsMax = 300_000;
/** A longer Retry-After is cut: a mistyped header must not stop a member's lane for days. */
export const retryAfterMsMax = 3_600_000;

/**
 * Decorrelated jitter: uniform between the minimum and three times the last delay, cut at the maximum
 * (AWS Architecture Blog, "Exponential Backoff And Jitter"). Retry-After only lengthens it.
 * @param chance uniform in [0, 1)
 * @returns milliseconds
 */
export function retryDelayMs(input: {
  readonly lastDelayMs: number;
  readonly retryAfterMs: number | null;
  readonly chance: number;
}): number {
  const ceiling = Math.max(retryDelayMsMin, input.lastDelayMs) * 3;
  const chosen = retryDelayMsMin + input.chance * (ceiling - retryDelayMsMin);
  const asked = Math.min(Math.max(0, input.retryAfterMs ?? 0), retryAfterMsMax);
  return Math.round(Math.max(Math.min(chosen, retryDelayMsMax), asked));
}
