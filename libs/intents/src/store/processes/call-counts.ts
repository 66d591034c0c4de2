/**
 * Calls by how long they took: how many in each bucket, by its index. Buckets are the same everywhere, so that counts of
 * threads, processes and minutes add up to the counts of all; medians would not. Empty buckets are left out.
 */
export type CallCounts = Readonly<Record<string, number>>;

/** Four buckets each time the duration doubles: what is told lies at most 10 % beside what was. */
const bucketsPerDoubling = 4;
/** From 1 ms to two minutes: no call may take that long. */
const doublings = 17;
/** Below it tenths are told. */
const wholeFromMs = 20;
export const callBucketsMax = bucketsPerDoubling * doublings + 1;

/** The bucket of a call. */
export function callBucket(durationMs: number): number {
  const index = Math.ceil(bucketsPerDoubling * Math.log2(Math.max(1, durationMs)));
  return Math.min(index, callBucketsMax - 1);
}

export function sumCalls(all: readonly CallCounts[]): CallCounts {
  const sum: Record<string, number> = {};
  for (const counts of all) {
    for (const [bucket, calls] of Object.entries(counts)) sum[bucket] = (sum[bucket] ?? 0) + calls;
  }
  return sum;
}

export function countCalls(counts: CallCounts): number {
  return Object.values(counts).reduce((sum, calls) => sum + calls, 0);
}

/** In the middle of its bucket, as far as that can be told from doublings; ms. */
function durationOf(bucket: number): number {
  if (bucket === 0) return 1;
  const ms = 2 ** ((bucket - 0.5) / bucketsPerDoubling);
  return ms < wholeFromMs ? Math.round(10 * ms) / 10 : Math.round(ms);
}

/**
 * How long at most that part of the calls took, ms.
 * @param part such as 0.5 for the median
 * @returns null without calls
 */
export function callQuantile(counts: CallCounts, part: number): number | null {
  // Keys that are whole numbers come in the order of these.
  const buckets = Object.entries(counts).filter(([, calls]) => calls > 0);
  const rank = Math.max(1, Math.ceil(part * countCalls(counts)));
  let seen = 0;
  for (const [bucket, calls] of buckets) {
    seen += calls;
    if (seen >= rank) return durationOf(Number(bucket));
  }
  return null;
}

/** Half of the calls took no longer than `p50`, all but one in twenty no longer than `p95`; ms. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
}

/** @returns null without calls */
export function latencyOf(counts: CallCounts): Latency | null {
  const [p50, p95] = [callQuantile(counts, 0.5), callQuantile(counts, 0.95)];
  return p50 === null || p95 === null ? null : { p50, p95 };
}
