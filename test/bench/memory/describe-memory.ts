import { median } from '../statistics.js';

export interface MemoryFigures {
  /** Median of each fifth of the run. */
  readonly fifths: readonly number[];
  readonly max: number;
  /** The last fifth's median by the second's: in the first one the program still compiles and fills its pools. */
  readonly growth: number;
}

const parts = 5;

/** Whether memory grows over a run, told by samples in their order. */
export const describeMemory = (samples: readonly number[]): MemoryFigures => {
  const fifths = Array.from({ length: parts }, (_, part) => {
    const at = (end: number): number => Math.round((samples.length * end) / parts);
    return median(samples.slice(at(part), at(part + 1)));
  });
  return { fifths, max: Math.max(...samples), growth: (fifths[parts - 1] ?? NaN) / (fifths[1] ?? NaN) };
};
