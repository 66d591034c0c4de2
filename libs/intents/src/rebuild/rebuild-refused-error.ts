import { ToldError } from '#platform';

/** Lanes cannot be rebuilt now; the message says why. Nothing has been changed. */
export class RebuildRefusedError extends ToldError {
  override readonly name = 'RebuildRefusedError';
}
