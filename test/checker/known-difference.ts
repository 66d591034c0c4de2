import type { History } from './history/history.js';
import type { Violation } from './violation.js';

/**
 * The product's rebuild does not know that a lane was leased when an enrolment reached it and went on without it: see
 * rebuild-difference.unit.spec.ts. The model does as the product does.
 */
export function isKnownDifference({ lanes }: History, { invariant, problem, laneId }: Violation): boolean {
  if (invariant !== 'I16' || !/differs in (state|attempt|left)/.test(problem)) return false;
  const lane = [...lanes].find((candidate) => candidate.lane.laneId === laneId);
  const hasEnrolment = lane?.intents.some(({ operation }) => operation === 'issue') === true;
  const hasWaited = lane?.events.some(({ event }) => event.type === 'WaitingBegan' && event.for === 'pass') === true;
  return hasEnrolment && hasWaited;
}
