import type { JobItemState } from '../jobs/job-items.js';

/** What the operations API reports to its process. */
export abstract class OperationsObserver {
  /** Something may have changed: what was asked for may begin. */
  abstract written(): void;
  /** Items of jobs have come to an end, for metrics. */
  abstract jobItems(state: JobItemState, count: number): void;
}
