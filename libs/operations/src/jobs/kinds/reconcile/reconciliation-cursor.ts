import type { Job } from '../../job-repository.js';
import { noTroubles } from '../../../partner-reading/partner-backoff.js';
import type { ReadingCursor } from '../../../partner-reading/partner-reader.js';

/**
 * Where a reconciliation stands. `listing`: the partner's passes are held against ours, page by page. `ours`: those of
 * ours that were not listed are looked up. `clearing`: what was remembered meanwhile is forgotten.
 */
export interface ReconciliationCursor extends ReadingCursor {
  readonly phase: 'listing' | 'ours' | 'clearing';
  /** Under which number it remembers what it has seen; null before it has begun. */
  readonly reconciliationId: number | null;
  /** The last lane that is done with, in the phases `ours` and `clearing`. */
  readonly lane: number;
}

export function cursorOf({ cursor }: Job): ReconciliationCursor {
  const begin: ReconciliationCursor = {
    phase: 'listing',
    reconciliationId: null,
    lane: 0,
    page: null,
    troubles: noTroubles,
  };
  return (cursor as ReconciliationCursor | null) ?? begin;
}

/** Whether whom we do not know is taken over. */
export function wantsAdoption({ request }: Job): boolean {
  return request['adopt'] === true;
}

export function wantsRepair({ request }: Job): boolean {
  return request['repair'] === true;
}
