import type { Judgement } from '../judge/judge-sample.js';

/** One sample in the report. */
export interface SampleReport extends Judgement {
  readonly file: string;
  readonly line: number;
}

/** A file that could not be read, or not to its end. */
export interface FileReport {
  readonly file: string;
  readonly problem: string;
}

/** How many problems of files are kept for the end of the report. */
export const fileReportsMax = 1000;
