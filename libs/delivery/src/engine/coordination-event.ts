import type { Operation } from '#domain';
import type { CoordinationState } from '#intents';

/** What the engine is told about the other replicas, and of what it asked for. */
export type CoordinationEvent =
  /** Time for a report. From the first one on nothing is begun without a fresh answer. */
  | { readonly type: 'CoordinationDue' }
  | {
      readonly type: 'Coordinated';
      /** Our own. */
      readonly replicaId: string;
      /** `at` of the effect. */
      readonly at: number;
      readonly state: CoordinationState;
    }
  | { readonly type: 'CoordinationFailed' }
  | {
      readonly type: 'PauseSet';
      readonly program: string;
      readonly operation: Operation;
      /** False: it could not be recorded. */
      readonly isSet: boolean;
    }
  | { readonly type: 'Recalled'; readonly count: number };
