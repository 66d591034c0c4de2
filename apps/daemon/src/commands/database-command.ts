import { readFileSync } from 'node:fs';

import type { Environment } from '#contracts';
import { readEnvironment } from '#contracts';
import type { PostgresConnection } from '#platform';
import { createLogger } from '#platform';

import { reportFailure, exitError, exitUsage, startProblems, errorText } from '../lifecycle/exits.js';
import { postgresOf } from '../storage/storage.module.js';

/** A command of the command line that works on the database itself, where no daemon may run. */
export interface DatabaseCommand {
  /** As typed. */
  readonly name: string;
  /** Variables it needs beside `DATABASE_URL` and does not find, a line each. */
  readonly missing?: (environment: Environment) => readonly string[];
  /** What it does over an open connection. @returns the exit code */
  readonly run: (connection: PostgresConnection, environment: Environment) => Promise<number>;
}

/**
 * Carries out a command, from reading the environment to closing the connection, and says on stderr why it could not.
 * @returns the exit code: 2 for what an operator must mend first, 1 for other failures, else the command's own
 */
export async function databaseCommand(env: NodeJS.ProcessEnv, command: DatabaseCommand): Promise<number> {
  const read = readEnvironment(env, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) return reportFailure(read.errors, exitUsage);
  const { database } = read.value;
  const missing = command.missing?.(read.value) ?? [];
  if (database === null) return reportFailure(['DATABASE_URL: must be set', ...missing], exitUsage);
  if (missing.length > 0) return reportFailure(missing, exitUsage);
  const connection = postgresOf(database, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    await connection.connect();
    return await command.run(connection, read.value);
  } catch (error) {
    return failed(command.name, error);
  } finally {
    await connection.close();
  }
}

function failed(name: string, error: unknown): number {
  const problems = startProblems(error);
  if (problems !== null) return reportFailure(problems, exitUsage);
  return reportFailure([`${name} failed: ${errorText(error)}`], exitError);
}
