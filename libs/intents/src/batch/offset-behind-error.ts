import { ToldError } from '#platform';

/**
 * The stored offset lies before the batch: recording it would pass over what is in between. Somebody put the offset
 * back, or the database is a restored one.
 */
export class OffsetBehindError extends ToldError {
  override readonly name = 'OffsetBehindError';

  constructor(
    readonly storedOffset: number,
    readonly fromOffset: number,
  ) {
    super(`the stored offset ${storedOffset} lies before the batch, which begins at ${fromOffset}`);
  }
}
