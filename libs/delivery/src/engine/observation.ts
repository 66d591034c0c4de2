import type { AttemptOutcome, AttemptPhase, Operation } from '#domain';

/** One attempt, seen to its recorded end: one wide log line and the metrics of contracts.md section 8. */
export interface AttemptObservation {
  readonly kind: 'attempt';
  readonly program: string;
  readonly memberId: string;
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly operation: Operation;
  readonly outcome: AttemptOutcome['kind'];
  readonly code: string;
  readonly phase: AttemptPhase | 'lost';
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Broker timestamp to recorded outcome. */
  readonly sinceBrokerMs: number;
  /** Status of the intent after the outcome. */
  readonly status: string;
  readonly retryAt: number | null;
  readonly shapeAlarms: readonly string[];
}

/** An intent settled without an attempt of its own: parked for a missing pass, for instance. */
export interface ParkObservation {
  readonly kind: 'parked';
  readonly program: string;
  readonly memberId: string;
  readonly laneId: number;
  readonly seq: number;
  readonly operation: Operation;
  readonly reason: string;
}

export interface FencedObservation {
  readonly kind: 'fenced';
  readonly program: string;
  readonly laneId: number;
}

export type Observation = AttemptObservation | ParkObservation | FencedObservation;
