import { DialectError } from '#gateway';
import {
  FencedDatabaseError,
  ForeignDatabaseError,
  GrantRefusedError,
  NotOwnerError,
  OwnershipRefusedError,
  RecoveryRefusedError,
} from '#intents';
import {
  errorCode,
  errorName,
  KeyServiceRefusedError,
  MigrationBusyError,
  MigrationRefusedError,
  NoRightToMigrateError,
  objectMessage,
  SealBrokenError,
  TableBusyError,
  SafeError,
} from '#platform';

import { ProgramsFileError } from '../programs/programs-holder.js';
import { SchemaAheadError, SchemaBehindError, SchemaOfEarlierBuildError } from '../storage/schema.js';

/** Exit codes of contracts.md section 4. */
export const exitOk = 0;
export const exitError = 1;
export const exitUsage = 2;
export const exitNothingMatched = 3;
export const exitSomeFailed = 4;
/** `migrate --plan`: something is to be done. Its own number, for 1 to 5 mean that something is wrong. */
export const exitToDo = 6;

/** Prints each problem on a line of stderr. @returns the exit code it was given */
export function reportFailure(lines: readonly string[], exitCode: number): number {
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}

/** Errors whose message needs no addition. */
const messageErrors = [
  ForeignDatabaseError,
  FencedDatabaseError,
  OwnershipRefusedError,
  SchemaBehindError,
  SchemaAheadError,
  SchemaOfEarlierBuildError,
  MigrationBusyError,
  MigrationRefusedError,
  NoRightToMigrateError,
  TableBusyError,
  GrantRefusedError,
  NotOwnerError,
  RecoveryRefusedError,
  KeyServiceRefusedError,
  DialectError,
];

/** What an operator must mend before a start can succeed; one line each. Null for anything else. */
export function startProblems(error: unknown): readonly string[] | null {
  if (error instanceof ProgramsFileError) return error.problems;
  if (messageErrors.some((kind) => error instanceof kind)) return [(error as Error).message];
  if (error instanceof SealBrokenError) {
    return ['LOYALTYD_ENCRYPTION_KEY: none of these keys opens this database'];
  }
  return null;
}

/** A short text for an error that quotes no value: its message where that is safe, else its name and code. */
export function errorText(error: unknown): string {
  if (error instanceof SafeError) return error.message;
  const message = objectMessage(error);
  if (message !== null) return message;
  const code = errorCode(error);
  return code === null ? errorName(error) : `${errorName(error)} (${code})`;
}
