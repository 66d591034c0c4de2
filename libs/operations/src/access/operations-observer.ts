import type { JobItemState } from '../jobs/job-items.js';

/** What the process is told of that happens by the operations API. */
export abstract class OperationsObserver {
  /** Something may have changed: what was asked for may begin. */
  abstract written(): void;
  /** Items of jobs have come to an end, for metrics. */
  abstract jobItems(state: JobItemState, count: number): void;
}
