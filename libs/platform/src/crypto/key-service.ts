import { SafeError } from '../errors.js';

/** The service does not do as asked, and will not by itself: an operator must mend something, here or there. */
export class KeyServiceRefusedError extends SafeError {
  override readonly name = 'KeyServiceRefusedError';
}

/** The service cannot be reached or cannot work now; the same request may succeed later. */
export class KeyServiceAwayError extends SafeError {
  override readonly name = 'KeyServiceAwayError';
}

/**
 * A service that keeps a key of its own and wraps ours by it (a KMS). It is asked when keys are opened, at the start of a
 * process and when their list changes; never for a record. Each method throws `KeyServiceRefusedError` or
 * `KeyServiceAwayError`.
 */
export abstract class KeyService {
  /** A new random key of 32 bytes, wrapped: the service makes it, and nobody else sees it. */
  abstract makeWrapped(): Promise<string>;
  /** The key that was wrapped. */
  abstract unwrap(wrapped: string): Promise<Uint8Array>;
  /** The same key, wrapped by the newest version of the service's own. */
  abstract rewrap(wrapped: string): Promise<string>;
}
