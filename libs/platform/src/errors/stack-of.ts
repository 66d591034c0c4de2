/** Where an error came from, without its message: that may quote what it failed on. */
export function stackOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { stack = '', message } = error;
  const frames = message === '' ? stack : stack.split(message).at(-1);
  return (frames ?? '').split('\n').flatMap((line) => (line.trim().startsWith('at ') ? [line.trim()] : []));
}
