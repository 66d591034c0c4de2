import type { ProgramsInForce } from './process.js';

/**
 * Since when processes have worked by different programs files, epoch ms; null where all work by the same. It began when
 * the second of two that differ came to what it has now.
 */
export function disagreeingSince(inForce: readonly ProgramsInForce[]): number | null {
  const inTurn = inForce.toSorted((one, other) => one.since - other.since);
  return inTurn.find(({ hash }) => hash !== inTurn[0]?.hash)?.since ?? null;
}
