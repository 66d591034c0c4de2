/** How many items a canary sends before it looks at what came of them: one, ten more, then the rest. */
const stages = [1, 11] as const;
/** From so many on, the rest is stopped where more than half of what was sent fails again. */
const restJudgedFrom = 50;
/** Of the second stage: more failures than these stop it. */
const secondStageFailuresMax = 1;

/** What came of the items since the canary began. */
export interface CanaryCounts {
  /** What we refused to send does not count. */
  readonly begun: number;
  /** What it came of is known. */
  readonly settled: number;
  /** Parked again. */
  readonly failed: number;
}

export type CanaryVerdict =
  | { readonly kind: 'go'; /** How many may be begun now. */ readonly allowance: number }
  | { readonly kind: 'stop'; readonly because: string };

function isFailing({ begun, settled, failed }: CanaryCounts): boolean {
  if (begun <= stages[0]) return failed > 0;
  if (begun <= stages[1]) return failed > secondStageFailuresMax;
  return settled >= restJudgedFrom && failed * 2 > settled;
}

/** Whether a replay goes on, and how far. Pure. */
export function judgeCanary(counts: CanaryCounts): CanaryVerdict {
  const { begun, settled, failed } = counts;
  if (isFailing(counts)) return { kind: 'stop', because: `${failed} of the ${settled} that were sent failed again` };
  const stage = stages.find((size) => begun < size || settled < size);
  return { kind: 'go', allowance: stage === undefined ? Infinity : Math.max(0, stage - begun) };
}
