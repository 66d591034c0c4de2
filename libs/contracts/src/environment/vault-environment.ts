import { z } from 'zod';

import type { Secret, VaultEnvironment, EncryptionKey } from './environment.js';
import { integerSchema, textSchema, urlSchema, type VariableReader } from './variables.js';

/** Names in the path of an address, which nothing escapes there: `transit`, `teams/shop/transit`. */
const mountSchema = z.string().regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/, {
  error: 'must be the path of a mount: names of letters, digits, "-" and "_", with / between them',
});
const nameSchema = z.string().regex(/^[\w-][\w.-]*$/, { error: 'must be a name of letters, digits, ".", "-" and "_"' });
/** It goes into a header. */
const namespaceSchema = textSchema.refine((text) => /^[!-~]+$/.test(text), {
  error: 'must be the path of a namespace',
});

/** How long one question may take. */
const timeoutMsDefault = 5_000;

/**
 * The `VAULT_*` variables; `null` where nothing needs them: no key is wrapped, and no key of the transit engine is named. Tools of
 * Vault's own use some of these names, so that they alone mean nothing.
 */
export function readVault(variables: VariableReader, keys: readonly EncryptionKey[] | null): VaultEnvironment | null {
  const isNeeded = keys?.some((key) => !(key instanceof Uint8Array)) === true;
  if (!isNeeded && !variables.isSet('VAULT_TRANSIT_KEY_NAME')) return null;
  const address = variables.required('VAULT_ADDR', urlSchema);
  const keyName = variables.required('VAULT_TRANSIT_KEY_NAME', nameSchema);
  const login = readLogin(variables);
  const rest = {
    namespace: variables.optional('VAULT_NAMESPACE', namespaceSchema),
    mount: variables.withDefault('VAULT_TRANSIT_MOUNT', mountSchema, 'transit'),
    context: variables.optional('VAULT_TRANSIT_CONTEXT', textSchema),
    timeoutMs: variables.withDefault('VAULT_TIMEOUT_MS', integerSchema(100, 60_000), timeoutMsDefault),
    ca: variables.pem('VAULT_CA_FILE', 'CERTIFICATE'),
  };
  return address === null || keyName === null || login === null ? null : { address, keyName, login, ...rest };
}

/** It goes into a header, too. */
function isToken({ value }: Secret): boolean {
  return /^[!-~]+$/.test(value);
}

function readLogin(variables: VariableReader): VaultEnvironment['login'] | null {
  const mount = variables.withDefault('VAULT_KUBERNETES_MOUNT', mountSchema, 'kubernetes');
  const role = variables.optional('VAULT_KUBERNETES_ROLE', nameSchema);
  if (variables.isSet('VAULT_KUBERNETES_ROLE')) {
    if (variables.isSet('VAULT_TOKEN')) {
      return variables.fail('VAULT_TOKEN', 'set it or VAULT_KUBERNETES_ROLE, not both');
    }
    const jwt = variables.requiredSecret('VAULT_KUBERNETES_JWT');
    return role === null || jwt === null ? null : { kind: 'kubernetes', mount, role, jwt };
  }
  if (!variables.isSet('VAULT_TOKEN')) {
    return variables.fail('VAULT_TOKEN', 'required, unless VAULT_KUBERNETES_ROLE is set');
  }
  const token = variables.secret('VAULT_TOKEN');
  if (token === null) return null;
  return isToken(token)
    ? { kind: 'token', token }
    : variables.fail('VAULT_TOKEN', 'must be one token, and nothing else');
}
