import { ToldError } from '#platform';

/** Another transaction recorded the same member or identity between our look and our insert: look again. */
export class BatchRaceError extends ToldError {
  override readonly name = 'BatchRaceError';

  constructor(readonly on: 'member' | 'identity' | 'offset') {
    super(`another batch recorded the same ${on} meanwhile`);
  }
}
