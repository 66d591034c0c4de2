import { ToldError } from '#platform';
import type { CallFailure, CallStage } from './call.js';

/**
 * A call that could not answer, where a report is no use: while a listing is iterated. Callers decide by `stage` and
 * `code`; the message holds these and nothing else.
 */
export class GatewayError extends ToldError implements CallFailure {
  readonly stage: CallStage;
  readonly code: string;
  readonly retryAfterMs: number | null;
  /** Paths and rules of an input that was refused; never a value. */
  readonly problems: readonly string[];

  constructor({ stage, code, retryAfterMs }: CallFailure, problems: readonly string[] = []) {
    super([`${stage}: ${code}`, ...problems].join('; '));
    this.name = 'GatewayError';
    this.stage = stage;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.problems = problems;
  }
}
