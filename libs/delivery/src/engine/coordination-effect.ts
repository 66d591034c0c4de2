import type { Operation } from '#domain';
import type { ReplicaReport } from '#intents';

/** What the engine wants done so that all replicas act as one. */
export type CoordinationEffect =
  | {
      readonly type: 'Coordinate';
      readonly report: Omit<ReplicaReport, 'replicaId'>;
      /** When it was asked for, epoch ms: the answer is no older than that. */
      readonly at: number;
    }
  | {
      readonly type: 'SetPause';
      readonly program: string;
      readonly operation: Operation;
      /** Stored in the clear: nothing personal. */
      readonly reason: string;
    }
  /** Make lanes due that were put off for a pause of these operations. */
  | {
      readonly type: 'Recall';
      readonly targets: readonly { readonly program: string; readonly operation: Operation }[];
    };
