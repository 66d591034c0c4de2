import type { QuarantineReason } from '#domain';

/** Undoes everything: the record would be set aside again. */
export class StillRefusedError extends Error {
  override readonly name = 'StillRefusedError';

  constructor(
    readonly reason: QuarantineReason,
    readonly detail: string,
  ) {
    super(`the record is refused: ${reason}`);
  }
}
