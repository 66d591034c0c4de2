/** The identity provider gives no answer that could be used; who a token belongs to cannot be told meanwhile. */
export class ProviderAwayError extends Error {
  override readonly name = 'ProviderAwayError';

  constructor(
    /** After so long it is asked again. */
    readonly retryAfterMs: number,
    cause?: unknown,
  ) {
    super('the identity provider does not answer', { cause });
  }
}
