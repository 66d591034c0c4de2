import { z } from 'zod';

import type { SaslEnvironment, Secret, TokenClientEnvironment } from './environment.js';
import { parsePairs } from './pairs.js';
import { choiceSchema, integerSchema, secureUrlSchema, textSchema, type VariableReader } from './variables.js';

const mechanismSchema = choiceSchema(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']);
const [userName, passwordName] = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;
const tokenUrlName = 'KAFKA_OAUTH_TOKEN_URL';

/** Every variable of a login; alone none of them would be used. */
const loginNames = [
  ...[userName, passwordName, 'KAFKA_SASL_EXTENSIONS', tokenUrlName, 'KAFKA_OAUTH_CLIENT_ID'],
  ...['KAFKA_OAUTH_CLIENT_SECRET', 'KAFKA_OAUTH_CLIENT_AUTH', 'KAFKA_OAUTH_SCOPE', 'KAFKA_OAUTH_AUDIENCE'],
  ...['KAFKA_OAUTH_CA_FILE', 'KAFKA_OAUTH_TIMEOUT_MS'],
] as const;
const tokenNames = loginNames.filter((name) => name.startsWith('KAFKA_OAUTH_'));

/** How we log in to Kafka; `null`: not at all, or not rightly. */
export function readSasl(variables: VariableReader): SaslEnvironment | null {
  const mechanism = variables.optional('KAFKA_SASL_MECHANISM', mechanismSchema);
  if (mechanism === null) {
    if (!variables.isSet('KAFKA_SASL_MECHANISM')) refuseStray(variables, loginNames, 'needs KAFKA_SASL_MECHANISM');
    return null;
  }
  if (mechanism === 'oauthbearer') return readBearer(variables);
  refuseStray(variables, ['KAFKA_SASL_EXTENSIONS', ...tokenNames], 'needs KAFKA_SASL_MECHANISM=oauthbearer');
  const username = variables.required(userName, textSchema);
  const password = variables.requiredSecret(passwordName);
  return password === null || username === null ? null : { mechanism, username, password };
}

function refuseStray(variables: VariableReader, names: readonly string[], rule: string): void {
  for (const name of names) if (variables.isSet(name)) variables.fail(name, rule);
}

/** RFC 7628, section 3.1: `auth` is the token's own. */
const extensionsSchema = z.string().transform((text, context) => {
  const pairs = parsePairs(text);
  const isRight = Object.entries(pairs ?? { '': '' }).every(
    ([name, value]) => /^[A-Za-z]{1,100}$/.test(name) && name !== 'auth' && /^[ -~\t\r\n]{1,1000}$/.test(value),
  );
  if (pairs !== null && isRight) return pairs;
  context.addIssue('must be a comma list of name=value, names of letters');
  return z.NEVER;
});

function readBearer(variables: VariableReader): SaslEnvironment | null {
  refuseStray(variables, [userName], 'is none of oauthbearer: the token says who we are');
  const extensions = variables.withDefault('KAFKA_SASL_EXTENSIONS', extensionsSchema, {});
  const token = readToken(variables);
  return token === null ? null : { mechanism: 'oauthbearer', token, extensions };
}

function readToken(variables: VariableReader): Secret | TokenClientEnvironment | null {
  const isFetched = variables.isSet(tokenUrlName);
  if (!isFetched) {
    refuseStray(variables, tokenNames, `needs ${tokenUrlName}`);
    const rule = `required by oauthbearer, unless ${tokenUrlName} is set`;
    return variables.isSet(passwordName) ? variables.secret(passwordName) : variables.fail(passwordName, rule);
  }
  if (variables.isSet(passwordName)) {
    return variables.fail(passwordName, `set it (a token) or ${tokenUrlName} (where to get one), not both`);
  }
  return readTokenClient(variables);
}

function readTokenClient(variables: VariableReader): TokenClientEnvironment | null {
  const url = variables.required(tokenUrlName, secureUrlSchema);
  const clientId = variables.requiredSecret('KAFKA_OAUTH_CLIENT_ID');
  const clientSecret = variables.requiredSecret('KAFKA_OAUTH_CLIENT_SECRET');
  const rest = {
    authenticateBy: variables.withDefault('KAFKA_OAUTH_CLIENT_AUTH', choiceSchema(['basic', 'form']), 'basic'),
    scope: variables.optional('KAFKA_OAUTH_SCOPE', textSchema),
    audience: variables.optional('KAFKA_OAUTH_AUDIENCE', textSchema),
    ca: variables.pem('KAFKA_OAUTH_CA_FILE', 'CERTIFICATE'),
    timeoutMs: variables.withDefault('KAFKA_OAUTH_TIMEOUT_MS', integerSchema(100, 60_000), 5_000),
  };
  return url === null || clientId === null || clientSecret === null ? null : { url, clientId, clientSecret, ...rest };
}
