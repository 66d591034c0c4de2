import type { Observation } from '#delivery';

import { closedLabel, labelSets } from './label-sets.js';

/** The labels of `loyaltyd_unknown_total`. */
type Resolution = Readonly<Record<'operation' | 'resolution', string>>;

/** What an observation says about an unknown outcome; null when it says nothing. */
export function unknownResolution(observation: Observation): Resolution | null {
  const told = resolutionIn(observation);
  return told === null ? null : { ...told, resolution: closedLabel(labelSets.resolution, told.resolution) };
}

function resolutionIn(observation: Observation): Resolution | null {
  switch (observation.kind) {
    case 'fenced':
    case 'auto-paused':
      return null;
    case 'resolved':
      return { operation: observation.operation, resolution: observation.resolution };
    case 'parked':
      return observation.reason === 'unknown-outcome'
        ? { operation: observation.operation, resolution: 'parked' }
        : null;
    case 'attempt': {
      const { operation, resolution, outcome, status } = observation;
      if (resolution !== null) return { operation, resolution };
      return outcome === 'unknown' ? { operation, resolution: status === 'parked' ? 'parked' : 'open' } : null;
    }
  }
}
