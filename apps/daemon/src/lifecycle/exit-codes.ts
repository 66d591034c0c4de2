/** Exit codes of contracts.md section 4. */
export const exitOk = 0;
export const exitError = 1;
export const exitUsage = 2;
export const exitNothingMatched = 3;
export const exitSomeFailed = 4;
/** `migrate --plan`: something is to be done. Its own number, for 1 to 5 mean that something is wrong. */
export const exitToDo = 6;
