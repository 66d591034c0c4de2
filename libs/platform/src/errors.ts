/**
 * An error whose message is written by us and quotes no value: it may be logged and shown.
 * Messages of other errors may quote the input that they failed on, so logs leave them out.
 */
export class SafeError extends Error {}

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

/** Where an error came from, without its message: that may quote what it failed on. */
export function stackOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { stack = '', message } = error;
  // After its first place: a short message may stand in the name of a file, too.
  const begin = stack.indexOf(message);
  const frames = begin === -1 ? stack : stack.slice(begin + message.length);
  return frames.split('\n').flatMap((line) => (line.trim().startsWith('at ') ? [line.trim()] : []));
}
