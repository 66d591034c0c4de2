/** Several rounds of one figure. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: readonly number[];
}

const digitsKept = 3;

/** Four significant digits are more than a shared machine can promise. */
export const rounded = (value: number): number => {
  if (value === 0 || !Number.isFinite(value)) return value;
  const scale = 10 ** Math.max(0, digitsKept - Math.floor(Math.log10(Math.abs(value))));
  return Math.round(value * scale) / scale;
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? NaN : (low + high) / 2;
};

/** The smallest value that at least `share` of them do not exceed; NaN where one of them is missing. */
export const percentile = (values: readonly number[], share: number): number => {
  if (values.some(Number.isNaN)) return NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
};

export const spreadOf = (values: readonly number[]): Spread => ({
  median: rounded(median(values)),
  min: rounded(Math.min(...values)),
  max: rounded(Math.max(...values)),
  rounds: values.map(rounded),
});

/** Round by round, so that what slowed the machine down meanwhile slowed both. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Spread =>
  spreadOf(ours.map((value, index) => value / (theirs[index] ?? NaN)));
