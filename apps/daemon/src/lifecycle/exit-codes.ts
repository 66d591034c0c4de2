/** Exit codes of contracts.md section 4. */
export const exitOk = 0;
export const exitError = 1;
export const exitUsage = 2;
export const exitNothingMatched = 3;
export const exitSomeFailed = 4;
