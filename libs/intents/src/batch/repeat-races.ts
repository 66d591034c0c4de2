import { BatchRaceError } from './batch-race-error.js';

/** Two recording the same identity at once is rare; so many in a row is a defect. */
export const batchRaceAttemptsMax = 5;

/**
 * Repeats what lost a race against another recording.
 * @param attempt `isWary`: one before it lost a race; what is read is to be locked
 */
export async function repeatRaces<T>(attempt: (isWary: boolean) => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(attempts > 1);
    } catch (error) {
      if (!(error instanceof BatchRaceError) || attempts >= batchRaceAttemptsMax) throw error;
    }
  }
}
