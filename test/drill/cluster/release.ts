import { createHash } from 'node:crypto';

import { encryptionKey, operatorToken } from '../installation/chaos-harness.js';
import type { ClusterOptions } from './options.js';

/** The namespaces of the release, and of what it needs. */
export const release = 'loyaltyd-drill';
export const infra = 'loyaltyd-drill-infra';

export function imageOf(name: string): { readonly repository: string; readonly tag: string } {
  const [repository = '', tag = ''] = name.split(/:(?=[^/]*$)/);
  return { repository, tag };
}

const from = (name: string, key: string): object => ({ name, key });
const file = (secret: string, key: string): object => ({ secret, key });

const partner = (name: string): Readonly<Record<string, string>> => ({
  WALLET_BASE_URL: `http://${name}.${infra}:4010/brands`,
  WALLET_AUTH_URL: `http://${name}.${infra}:4010`,
});

/** Values of the release, beyond the chart's defaults: a Deployment with all roles, as `profiles/minimal.yaml` has it. */
export function valuesOf({ daemon }: ClusterOptions['images']): object {
  const { repository, tag } = imageOf(daemon);
  return {
    image: { repository, tag, pullPolicy: 'IfNotPresent' },
    config: {
      KAFKA_BROKERS: `kafka.${infra}:9092`,
      DATABASE_SSL: 'verify-full',
      ALLOW_CLEARTEXT: 'partner',
      ...partner('wallet-sandbox'),
      WALLET_SCOPE: 'wallet',
      WALLET_ENVIRONMENT: 'sandbox',
      SHUTDOWN_GRACE_MS: 15_000,
    },
    secrets: {
      DATABASE_URL: from('loyaltyd-database', 'url'),
      LOYALTYD_ENCRYPTION_KEY: from('loyaltyd', 'encryption-key'),
      OPS_TOKENS: from('loyaltyd', 'ops-tokens'),
      WALLET_CLIENT_ID: from('loyaltyd-wallet', 'client-id'),
      WALLET_CLIENT_SECRET: from('loyaltyd-wallet', 'client-secret'),
    },
    files: {
      DATABASE_SSL_CA_FILE: file('authorities', 'ca.crt'),
      KAFKA_SSL_CA_FILE: file('authorities', 'ca.crt'),
      KAFKA_SSL_CERT_FILE: file('kafka-login', 'tls.crt'),
      KAFKA_SSL_KEY_FILE: file('kafka-login', 'tls.key'),
    },
    migration: { grant: 'daemon', secrets: { DATABASE_URL: from('loyaltyd-owner', 'url') } },
  };
}

export function databaseUrl(user: string, password: string): string {
  return `postgres://${user}:${password}@postgres.${infra}:5432/loyaltyd`;
}

const operatorDigest = createHash('sha256').update(operatorToken).digest('hex');

const firstPassword = 'first';
/** The running role's, after its rotation. */
export const secondPassword = 'second';

/** The secrets that docs/kubernetes.md has people make, by name. */
export const secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'loyaltyd-database': { url: databaseUrl('daemon', firstPassword) },
  'loyaltyd-owner': { url: databaseUrl('loyalty_owner', 'owner') },
  'loyaltyd-wallet': { 'client-id': 'sandbox', 'client-secret': 'sandbox' },
  loyaltyd: { 'encryption-key': encryptionKey, 'ops-tokens': `drill:admin:${operatorDigest}` },
};
