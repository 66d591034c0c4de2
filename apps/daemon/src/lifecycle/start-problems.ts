import { DialectError } from '#gateway';
import { ForeignCellError, ForeignDatabaseError, RecoveryRefusedError } from '#intents';
import { MigrationBusyError, MigrationRefusedError, SealBrokenError, TableBusyError } from '#platform';

import { ProgramsFileError } from '../programs/programs-holder.js';
import { SchemaAheadError, SchemaBehindError } from '../wiring/ensure-schema.js';

/** Their message says all. */
const messageErrors = [
  ForeignDatabaseError,
  ForeignCellError,
  SchemaBehindError,
  SchemaAheadError,
  MigrationBusyError,
  MigrationRefusedError,
  TableBusyError,
  RecoveryRefusedError,
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
