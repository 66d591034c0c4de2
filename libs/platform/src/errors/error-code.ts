/** The code that Node, OpenSSL and drivers give their errors; null where there is none. Fit for a log. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** What kind of error it is. */
export function errorName(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('name' in error)) return typeof error;
  return typeof error.name === 'string' ? error.name : typeof error;
}
