import { readDatabase } from './database-environment.js';
import type { Environment, Role } from './environment.js';
import { readKafka } from './kafka-environment.js';
import { readOperations } from './operations-environment.js';
import { readCell, readEncryptionKeys, readProcess, readRoles } from './process-environment.js';
import { readRetention } from './retention-environment.js';
import { textSchema } from './value-schemas.js';
import { readTracing } from './tracing-environment.js';
import { VariableReader, type Variables } from './variables.js';
import { readWallet } from './wallet-environment.js';

export interface EnvironmentOptions {
  /** The roles of this process; by default `LOYALTYD_ROLES` decides. */
  readonly roles?: readonly Role[];
  /** Reads the file a `NAME_FILE` variable names; may throw, which becomes that variable's error. */
  readonly readFile: (path: string) => string;
  /** `false` in `dev`, which prints a one-time token: the operations role then starts without tokens or OIDC. */
  readonly requireOperators?: boolean;
}

/** One message per variable, `NAME: rule`; never a secret's value. */
export type EnvironmentResult =
  { readonly ok: true; readonly value: Environment } | { readonly ok: false; readonly errors: readonly string[] };

/**
 * Validates every variable of contracts.md section 3: whatever is set must be right, and what the roles of this
 * process use must be set (Kafka by ingest, and by delivery for its outcomes; the partner by delivery; the database and the encryption key by every
 * role; tokens or OIDC by operations). Never throws.
 */
export function readEnvironment(env: Variables, options: EnvironmentOptions): EnvironmentResult {
  const { value, errors } = readEnvironmentParts(env, options);
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value };
}

/** What could be read, and what is wrong with it, one message per variable. */
export interface EnvironmentParts {
  readonly value: Environment;
  readonly errors: readonly string[];
  /** The paths of the files that were read, by the variable that names each. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * The same, for who must look at what is there although something is wrong. A part may only be used where no error is
 * about its variables: a mistyped `KAFKA_SSL` reads as off.
 */
export function readEnvironmentParts(env: Variables, options: EnvironmentOptions): EnvironmentParts {
  const variables = new VariableReader(env, options.readFile);
  const roles = options.roles ?? readRoles(variables);
  const needsOperators = roles.includes('operations') && options.requireOperators !== false;
  const cell = readCell(variables);
  const value: Environment = {
    roles,
    cell,
    kafka: readKafka(variables, { roles, cell }),
    database: readDatabase(variables, roles.length > 0),
    wallet: readWallet(variables, roles.includes('delivery')),
    programsFile: variables.withDefault('LOYALTYD_PROGRAMS', textSchema, 'loyaltyd.yaml'),
    dialectFile: variables.text('WALLET_DIALECT'),
    encryptionKeys: readEncryptionKeys(variables, roles.length > 0),
    operations: readOperations(variables, needsOperators),
    retention: readRetention(variables),
    process: readProcess(variables),
    tracing: readTracing(variables),
  };
  return { value, errors: variables.errors, files: variables.files };
}
