import { z } from 'zod';
import type { OperationsEnvironment, OperatorToken } from './environment.js';
import { flagSchema, integerSchema, listSchema, secureUrlSchema, textSchema } from './value-schemas.js';
import type { VariableReader } from './variables.js';

const rule = { error: 'must be a comma list of name:role:sha256hex, role one of viewer, operator, admin' };

const tokenSchema = z
  .string()
  .regex(/^[\w.@-]{1,100}:(?:viewer|operator|admin):[0-9a-fA-F]{64}$/, rule)
  .transform((text): OperatorToken => {
    const [name = '', role = '', sha256 = ''] = text.split(':');
    return { name, role: role as OperatorToken['role'], sha256: sha256.toLowerCase() };
  });

const tokensSchema = listSchema
  .pipe(z.array(tokenSchema).min(1, rule))
  .refine((tokens) => new Set(tokens.map(({ name }) => name)).size === tokens.length, { error: 'one name twice' });

const basePathSchema = z
  .string()
  .regex(/^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?$/, { error: 'must be a path that starts with /' })
  .transform((path) => (path === '/' ? path : path.replace(/\/$/, '')));

/** The `OPS_*` variables. With `needsOperators`, nobody may be let in without a token or OIDC. */
export function readOperations(variables: VariableReader, needsOperators: boolean): OperationsEnvironment {
  const secret = variables.secret('OPS_TOKENS');
  const tokens = secret === null ? [] : readTokens(variables, secret.value);
  const oidc = readOidc(variables);
  if (needsOperators && !['OPS_TOKENS', 'OPS_OIDC_ISSUER'].some((name) => variables.isSet(name))) {
    variables.fail('OPS_TOKENS', 'required by the operations role, unless OPS_OIDC_ISSUER is set');
  }
  return {
    host: variables.withDefault('OPS_HOST', textSchema, '0.0.0.0'),
    port: variables.withDefault('OPS_PORT', integerSchema(0, 65_535), 8080),
    basePath: variables.withDefault('OPS_BASE_PATH', basePathSchema, '/'),
    tokens,
    oidc,
    readOnly: variables.withDefault('OPS_READ_ONLY', flagSchema, false),
  };
}

function readTokens(variables: VariableReader, text: string): readonly OperatorToken[] {
  const parsed = tokensSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  variables.fail('OPS_TOKENS', parsed.error.issues[0]?.message ?? 'invalid');
  return [];
}

function readOidc(variables: VariableReader): OperationsEnvironment['oidc'] {
  const issuer = variables.optional('OPS_OIDC_ISSUER', secureUrlSchema);
  const roleClaim = variables.withDefault('OPS_OIDC_ROLE_CLAIM', textSchema, 'roles');
  if (!variables.isSet('OPS_OIDC_ISSUER')) return null;
  const audience = variables.required('OPS_OIDC_AUDIENCE', textSchema);
  return issuer === null || audience === null ? null : { issuer, audience, roleClaim };
}
