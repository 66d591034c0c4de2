import type { CellIdentity } from '../claim-cell.js';
import type { OriginalRecord, PreparedRecord, SourcePartition } from '../batch/batch-to-record.js';

export interface RecordToRoute {
  /** Where it lay. */
  readonly source: Pick<SourcePartition, 'topic' | 'partition'>;
  readonly original: OriginalRecord;
  /** The members that the installation takes, whatever this process was told. */
  readonly cell: CellIdentity;
  /** Epoch ms. */
  readonly now: number;
}

/** A record, decoded and routed. */
export interface RoutedRecord {
  readonly record: PreparedRecord;
  /** 16 bytes that name the programs file which routed it. */
  readonly programsHash: Uint8Array;
}

/** Decodes and routes a record as ingest does, by the programs file in force. Never throws. */
export type RouteRecord = (request: RecordToRoute) => RoutedRecord;
