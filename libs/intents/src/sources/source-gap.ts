import type { SourcePartition } from '../batch/batch-to-record.js';

/** Records of a partition that are gone before they were consumed: those from `storedOffset` up to `oldestOffset`. */
export interface SourceGap {
  readonly source: SourcePartition;
  readonly storedOffset: number;
  readonly oldestOffset: number;
}
