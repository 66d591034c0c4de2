import { readCertificatePair } from './certificate-pair.js';
import type { SchemaRegistryEnvironment } from './environment.js';
import { integerSchema, textSchema, urlSchema, type VariableReader } from './variables.js';

/** How long one question may take. */
const timeoutMsDefault = 5_000;

/** Two of them go into headers. */
const headerSchema = textSchema.refine((text) => /^[!-~]+$/.test(text), { error: 'must be an id' });
/** RFC 7617: what comes after the first colon is the password. */
const usernameSchema = textSchema.refine((text) => !text.includes(':'), { error: 'must have no ":"' });

/** The `SCHEMA_REGISTRY_*` variables; `null` without an address, when nothing of them means anything. */
export function readSchemaRegistry(variables: VariableReader): SchemaRegistryEnvironment | null {
  if (!variables.isSet('SCHEMA_REGISTRY_URL')) return null;
  const url = variables.required('SCHEMA_REGISTRY_URL', urlSchema);
  const login = readLogin(variables);
  const rest = {
    ca: variables.pem('SCHEMA_REGISTRY_CA_FILE', 'CERTIFICATE'),
    ...readCertificatePair(variables, 'SCHEMA_REGISTRY'),
    timeoutMs: variables.withDefault('SCHEMA_REGISTRY_TIMEOUT_MS', integerSchema(100, 60_000), timeoutMsDefault),
  };
  return url === null || login === null ? null : { url, login, ...rest };
}

function readLogin(variables: VariableReader): SchemaRegistryEnvironment['login'] | null {
  const basic = variables.isSet('SCHEMA_REGISTRY_USERNAME') || variables.isSet('SCHEMA_REGISTRY_PASSWORD');
  const oauth = variables.isSet('SCHEMA_REGISTRY_OAUTH_TOKEN_URL');
  if (basic && oauth) {
    return variables.fail('SCHEMA_REGISTRY_USERNAME', 'set it or SCHEMA_REGISTRY_OAUTH_TOKEN_URL, not both');
  }
  if (oauth) return readOauth(variables);
  if (!basic) return { kind: 'none' };
  const username = variables.required('SCHEMA_REGISTRY_USERNAME', usernameSchema);
  const password = variables.requiredSecret('SCHEMA_REGISTRY_PASSWORD');
  return username === null || password === null ? null : { kind: 'basic', username, password };
}

function readOauth(variables: VariableReader): SchemaRegistryEnvironment['login'] | null {
  const tokenUrl = variables.required('SCHEMA_REGISTRY_OAUTH_TOKEN_URL', urlSchema);
  const clientId = variables.required('SCHEMA_REGISTRY_OAUTH_CLIENT_ID', textSchema);
  const clientSecret = variables.requiredSecret('SCHEMA_REGISTRY_OAUTH_CLIENT_SECRET');
  const rest = {
    scope: variables.optional('SCHEMA_REGISTRY_OAUTH_SCOPE', textSchema),
    logicalCluster: variables.optional('SCHEMA_REGISTRY_OAUTH_LOGICAL_CLUSTER', headerSchema),
    identityPoolId: variables.optional('SCHEMA_REGISTRY_OAUTH_IDENTITY_POOL_ID', headerSchema),
  };
  if (tokenUrl === null || clientId === null || clientSecret === null) return null;
  return { kind: 'oauth', tokenUrl, clientId, clientSecret, ...rest };
}
