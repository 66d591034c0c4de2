import type { AttemptObservation } from '#domain';
import type { CallStage } from '../port/call.js';

/** How far a call came that was planned: the last stage it reached. */
export function callStage({ phase, error, status }: AttemptObservation): CallStage {
  switch (phase) {
    case 'not-sent':
      if (error === 'no-token') return 'token';
      return error === 'unsendable' ? 'request' : 'connection';
    case 'sent':
      return 'exchange';
    case 'answered':
      return status === 401 ? 'token' : 'answer';
    default:
      return phase satisfies never;
  }
}
