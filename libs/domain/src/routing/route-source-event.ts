import type { ProgramsFile, SourceEvent } from '#contracts';
import type { RouteResult } from './route-result.js';

/**
 * What a valid source event makes us owe the partner: contracts.md section 1, "Which partner call an event causes".
 * Pure and deterministic: the same event and file give the same result, on every replica and every attempt. Never
 * throws. `detail` of a quarantine names paths and rules, never a value.
 */
export function routeSourceEvent(_event: SourceEvent, _programs: ProgramsFile): RouteResult {
  throw new Error('not yet');
}
