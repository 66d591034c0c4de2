/** So long each answer is waited for while somebody signs in: of the daemon, of the identity provider, of its page. */
export const answerMsMax = 10_000;
export const answerLimitText = `${answerMsMax / 1_000} seconds`;

/** Ends a request that takes too long. */
export const answerLimit = (): AbortSignal => AbortSignal.timeout(answerMsMax);

/** Whether a request was ended by its limit. */
export const isLate = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';
