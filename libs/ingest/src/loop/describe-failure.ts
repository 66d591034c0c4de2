import { OffsetBehindError } from '#intents';
import { DatabaseError } from '#platform';

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

/**
 * SQLSTATE classes that speak of the data sent: data exception, integrity constraint, program limit exceeded. Others
 * that will not pass either (a missing table, a missing right) speak of the installation: no record is to blame, and
 * setting all of them aside one by one would help nobody.
 */
const contentClasses = new Set(['22', '23', '54']);

function ofDatabase({ kind, sqlState, operation }: DatabaseError): RecordingFailure {
  const isContent = kind === 'failed' && (sqlState === null || contentClasses.has(sqlState.slice(0, 2)));
  const code = sqlState === null ? '' : ` (${sqlState})`;
  return { cause: isContent ? 'content' : 'unavailable', failure: `record: ${operation} failed${code}` };
}

/** Judges an error of `recordBatch`. */
export function describeFailure(error: unknown): RecordingFailure {
  if (error instanceof DatabaseError) return ofDatabase(error);
  const name = error instanceof Error ? error.name : 'failed';
  const failure = `record: ${name}`;
  if (error instanceof OffsetBehindError) return { cause: 'behind', failure };
  return { cause: name === 'BatchRaceError' ? 'unavailable' : 'content', failure };
}
