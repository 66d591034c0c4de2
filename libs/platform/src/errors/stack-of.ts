/** Where an error came from, without its message: that may quote what it failed on. */
export function stackOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { stack = '', message } = error;
  // After its first place: a short message may stand in the name of a file, too.
  const begin = stack.indexOf(message);
  const frames = begin === -1 ? stack : stack.slice(begin + message.length);
  return frames.split('\n').flatMap((line) => (line.trim().startsWith('at ') ? [line.trim()] : []));
}
