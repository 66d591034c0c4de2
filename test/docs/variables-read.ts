import { readEnvironment } from '#contracts';

/** Settings that make the reader look at every variable there is. */
const settings: Readonly<Record<string, string>> = {
  KAFKA_SASL_MECHANISM: 'plain',
  SCHEMA_REGISTRY_URL: 'https://registry.example.org',
  SCHEMA_REGISTRY_OAUTH_TOKEN_URL: 'https://login.example.org/token',
  NOTICE_MAIL_TO: 'ops@example.org',
  NOTICE_WEBHOOK_URL: 'https://hooks.example.org',
  OPS_OIDC_ISSUER: 'https://login.example.org',
  VAULT_KUBERNETES_ROLE: 'loyaltyd',
  VAULT_TRANSIT_KEY_NAME: 'loyaltyd',
  WALLET_BASE_URL: 'https://partner.example.org/brands',
};

/** Every variable that the environment reader asks for, `NAME_FILE` of secrets left out. */
export function variablesRead(): string[] {
  const asked = new Set<string>();
  const env = new Proxy(settings, {
    get: (target, name) => {
      asked.add(String(name));
      return target[String(name)];
    },
  });
  readEnvironment(env, { readFile: () => '' });
  return [...asked].filter((name) => !asked.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE'));
}
