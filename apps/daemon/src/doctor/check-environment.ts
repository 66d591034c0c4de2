import type { Environment } from '#contracts';

import type { Finding } from './finding.js';
import { failed, ok } from './finding.js';

const name = 'environment';

function variableOf(error: string): string {
  return error.slice(0, error.indexOf(':'));
}

function remedyOf(variable: string): string {
  const readable = 'the file must exist and be readable by this user; in a container: is it mounted?';
  if (variable.endsWith('_FILE')) return `Mend what ${variable} names: ${readable}`;
  return `Set ${variable} as docs/configuration.md says, then start again. A secret may come by ${variable}_FILE instead: ${readable}`;
}

function toFinding(error: string): Finding {
  const variable = variableOf(error);
  return failed(`${name}.${variable}`, { detail: error.slice(variable.length + 2), remedy: remedyOf(variable) });
}

/** One line for each variable that is wrong. */
export function environmentFindings({ roles }: Environment, errors: readonly string[]): readonly Finding[] {
  if (errors.length > 0) return errors.map(toFinding);
  return [ok(name, `every variable that the roles ${roles.join(', ')} need is right`)];
}

const prefixes = {
  kafka: ['KAFKA_'],
  database: ['DATABASE_'],
  // Past a proxy that is not what it should be, secrets would leave another way.
  wallet: ['WALLET_', 'HTTPS_PROXY'],
} as const;

/** The parts that may be used: where one variable of them is wrong, another may have been read as something else. */
export function soundParts(
  environment: Environment,
  errors: readonly string[],
): Pick<Environment, 'kafka' | 'database' | 'wallet'> {
  const isSound = (part: keyof typeof prefixes): boolean =>
    !errors.some((error) => prefixes[part].some((prefix) => variableOf(error).startsWith(prefix)));
  return {
    kafka: isSound('kafka') ? environment.kafka : null,
    database: isSound('database') ? environment.database : null,
    wallet: isSound('wallet') ? environment.wallet : null,
  };
}
