import { describeDatabaseFailure, isContentFailure, OffsetBehindError } from '#intents';
import { DatabaseError, MasterKeyMissingError } from '#platform';

/** What a failed recording means for the records in it. */
export interface RecordingFailure {
  /**
   * `content`: the database or our own code refused these very records; `unavailable`: time will help; `behind`: the
   * stored offset is not where we believe.
   */
  readonly cause: 'unavailable' | 'content' | 'behind';
  /** Names the stage and code, never a value. */
  readonly failure: string;
}

/** Judges an error of `recordBatch`. */
export function describeFailure(error: unknown): RecordingFailure {
  if (error instanceof DatabaseError) {
    return { cause: isContentFailure(error) ? 'content' : 'unavailable', failure: describeDatabaseFailure(error) };
  }
  const name = error instanceof Error ? error.name : 'failed';
  const failure = `record: ${name}`;
  if (error instanceof OffsetBehindError) return { cause: 'behind', failure };
  // Keys of members that another process wrapped by a key that this one has not been given: no record is to blame.
  const isPassing = name === 'BatchRaceError' || error instanceof MasterKeyMissingError;
  return { cause: isPassing ? 'unavailable' : 'content', failure };
}
