import { errorCode, errorName, ToldError } from '#platform';

/** SQLSTATE classes whose messages name users, databases and other objects, never what is in a row. */
const objectClasses = new Set(['28', '3D', '42', '53', '55', '57', '58']);

function mayBeTold(error: unknown): error is Error {
  if (error instanceof ToldError) return true;
  const code = errorCode(error);
  return error instanceof Error && code?.length === 5 && objectClasses.has(code.slice(0, 2));
}

/** An error in a few words that quote no value: its message where that is known of it, else its name and code. */
export function tellError(error: unknown): string {
  if (mayBeTold(error)) return error.message;
  const code = errorCode(error);
  return code === null ? errorName(error) : `${errorName(error)} (${code})`;
}
