import type { DatabaseEnvironment } from './environment.js';
import { choiceSchema, integerSchema } from './value-schemas.js';
import type { VariableReader } from './variables.js';

/** The `DATABASE_*` variables; `null` when the address is missing or wrong. */
export function readDatabase(variables: VariableReader, isRequired: boolean): DatabaseEnvironment | null {
  const url = isRequired ? variables.requiredSecret('DATABASE_URL') : variables.secret('DATABASE_URL');
  const rest = {
    // Whoever migrates holds a lock on one connection while it works on another.
    poolSize: variables.withDefault('DATABASE_POOL_SIZE', integerSchema(2, 1000), 10),
    ssl: variables.withDefault('DATABASE_SSL', choiceSchema(['disable', 'require', 'verify-full']), 'disable'),
    sslCa: variables.pem('DATABASE_SSL_CA_FILE', 'CERTIFICATE'),
    partitionsAhead: variables.withDefault('DATABASE_PARTITIONS_AHEAD', integerSchema(1, 100), 2),
  };
  if (url === null) return null;
  if (!isPostgresUrl(url.value)) {
    return variables.fail('DATABASE_URL', 'must be a postgres:// or postgresql:// address');
  }
  if (saysTls(url.value)) {
    return variables.fail(
      'DATABASE_URL',
      'must not set sslmode or the like: DATABASE_SSL does, and would be overruled',
    );
  }
  return { url, ...rest };
}

function isPostgresUrl(text: string): boolean {
  return ['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? '');
}

/** The driver lets these overrule what it is told besides: a `sslmode=disable` would turn verify-full off unseen. */
function saysTls(text: string): boolean {
  return [...(URL.parse(text)?.searchParams.keys() ?? [])].some((name) => /^(?:ssl|use_?libpqcompat)/i.test(name));
}
