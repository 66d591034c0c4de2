import { errorCode, errorName, objectMessage, ToldError } from '#platform';

/** An error in a few words that quote no value: its message where that is known of it, else its name and code. */
export function tellError(error: unknown): string {
  if (error instanceof ToldError) return error.message;
  const message = objectMessage(error);
  if (message !== null) return message;
  const code = errorCode(error);
  return code === null ? errorName(error) : `${errorName(error)} (${code})`;
}
