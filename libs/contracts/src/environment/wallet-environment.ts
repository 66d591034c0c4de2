import type { WalletEnvironment } from './environment.js';
import { choiceSchema, flagSchema, integerSchema, secureUrlSchema, textSchema } from './value-schemas.js';
import type { VariableReader } from './variables.js';

const baseUrlSchema = secureUrlSchema.refine((url) => url.endsWith('/brands'), { error: 'must end with /brands' });

/** The `WALLET_*` variables: all of the first five or none; `null` when they are not set and not required. */
export function readWallet(variables: VariableReader, isRequired: boolean): WalletEnvironment | null {
  if (!isRequired && !variables.isSet('WALLET_BASE_URL')) return null;
  const wallet = {
    baseUrl: variables.required('WALLET_BASE_URL', baseUrlSchema),
    authUrl: variables.required('WALLET_AUTH_URL', secureUrlSchema),
    clientId: variables.requiredSecret('WALLET_CLIENT_ID'),
    clientSecret: variables.requiredSecret('WALLET_CLIENT_SECRET'),
    scope: variables.required('WALLET_SCOPE', textSchema),
    timeoutMs: variables.withDefault('WALLET_TIMEOUT_MS', integerSchema(100, 600_000), 10_000),
    environment: variables.withDefault('WALLET_ENVIRONMENT', choiceSchema(['sandbox', 'production']), 'sandbox'),
    sendsTraceparent: variables.withDefault('WALLET_SEND_TRACEPARENT', flagSchema, false),
  };
  const ca = variables.pem('WALLET_CA_FILE', 'CERTIFICATE');
  return isComplete(wallet) ? { ...wallet, ca } : null;
}

function isComplete<Group extends object>(
  group: Group,
): group is { [Key in keyof Group]: NonNullable<Group[Key]> } & Group {
  return Object.values(group).every((value) => value !== null);
}
