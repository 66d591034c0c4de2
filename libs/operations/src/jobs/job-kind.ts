import type { Job, JobKindName, JobTurn } from '#intents';
import { ToldError } from '#platform';

/** How jobs of one kind are carried on. */
export interface JobWork {
  readonly kind: JobKindName;
  /**
   * Makes a turn: some seconds of work at most (the lease is 60 s). A turn that fails, or whose outcome is not kept, is
   * made again: what it does outside `alongside` must bear that.
   * @throws {JobFailedError} where no further turn would help
   */
  turn(job: Job): Promise<JobTurn>;
}

/** The job cannot be done. The message is shown to operators: nothing personal. */
export class JobFailedError extends ToldError {
  override readonly name = 'JobFailedError';
}
