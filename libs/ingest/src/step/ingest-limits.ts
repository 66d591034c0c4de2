/** Kafka wants a sign of life at least every 3 s while a batch is being worked on (design.md section 12). */
export const heartbeatEveryMs = 2_000;
/** Of records that are decoded and recorded together: decoded they take many times as much, and some partitions are at it. */
export const chunkBytesMax = 1024 * 1024;
/** First delay before a failed recording is tried again. */
export const recordRetryMsMin = 100;
/** Longest delay: a database that comes back is used again within five seconds. */
export const recordRetryMsMax = 5_000;
/** So many times a recording is refused for its content before the chunk is halved, or its only record set aside. */
export const recordTriesBeforeBisectMax = 3;

/**
 * Decorrelated jitter: uniform between the minimum and three times the last delay, cut at the maximum
 * (AWS Architecture Blog, "Exponential Backoff And Jitter").
 * @param chance uniform in [0, 1)
 */
export function recordRetryMs(lastDelayMs: number, chance: number): number {
  const ceiling = Math.max(recordRetryMsMin, lastDelayMs) * 3;
  return Math.round(Math.min(recordRetryMsMax, recordRetryMsMin + chance * (ceiling - recordRetryMsMin)));
}
