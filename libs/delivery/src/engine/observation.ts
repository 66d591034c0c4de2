import type { AttemptOutcome, AttemptPhase, Operation } from '#domain';

interface Traced {
  /** W3C context that the intent was recorded in. */
  readonly traceparent?: string;
}

/** One attempt, seen to its recorded end: one wide log line and the metrics of contracts.md section 8. */
export interface AttemptObservation extends Traced {
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
  /** How this attempt settled what an earlier one had left in doubt; null where it settled nothing. */
  readonly resolution: string | null;
  /** Of the trace that the attempt is told in; absent where nothing is traced. */
  readonly traceId?: string;
}

/** An unknown outcome came one step on without an attempt: what was found, or that the intent is sent again. */
interface ResolvedObservation extends Traced {
  readonly kind: 'resolved';
  readonly program: string;
  readonly memberId: string;
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly operation: Operation;
  /** `pass-found`, `as-wanted`, `points`, `late-outcome`, `absent`, `resend-unique-attribute`, `resend-policy` */
  readonly resolution: string;
  /** Broker timestamp to recorded resolution. */
  readonly sinceBrokerMs: number;
  /** Status of the intent after it. */
  readonly status: string;
}

/** An intent settled without an attempt of its own: parked for a missing pass, for instance. */
export interface ParkObservation extends Traced {
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

/** An operation was paused because the partner refused it for everybody. Told once, by the replica that did it. */
export interface AutoPauseObservation {
  readonly kind: 'auto-paused';
  readonly program: string;
  readonly operation: Operation;
  /** Nothing personal. */
  readonly reason: string;
}

export type Observation =
  AttemptObservation | ParkObservation | ResolvedObservation | FencedObservation | AutoPauseObservation;
