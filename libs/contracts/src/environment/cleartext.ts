import type {
  DatabaseEnvironment,
  Environment,
  KafkaEnvironment,
  NoticesEnvironment,
  SchemaRegistryEnvironment,
} from './environment.js';
import { isLoopback, isSecureUrl, listSchema, type VariableReader } from './variables.js';

/** What may go over a network unencrypted where `ALLOW_CLEARTEXT` names it. */
const cleartextNames: readonly string[] = ['postgres', 'kafka', 'registry', 'partner', 'otlp', 'vault', 'notices'];

/** By name, what is allowed. */
export type AllowedCleartext = ReadonlySet<string>;

const allowedSchema = listSchema
  .refine((names) => names.every((name) => cleartextNames.includes(name)), {
    error: `must be a comma list of ${cleartextNames.join(', ')}`,
  })
  .transform((names): AllowedCleartext => new Set(names));

/** `ALLOW_CLEARTEXT`. Real cardholders' data never goes to the partner unencrypted, whatever it names. */
export function readAllowedCleartext(variables: VariableReader): AllowedCleartext {
  const name = 'ALLOW_CLEARTEXT';
  const allowed = variables.withDefault(name, allowedSchema, new Set<string>());
  if (!allowed.has('partner') || variables.text('WALLET_ENVIRONMENT') !== 'production') return allowed;
  variables.fail(name, 'partner is refused with WALLET_ENVIRONMENT=production');
  return new Set([...allowed].filter((each) => each !== 'partner'));
}

/**
 * Where the driver connects (pg-connection-string 2): the last `host` of the query, else that of the address; null is a
 * socket of this machine. Without either it is PGHOST's, which nobody has judged.
 */
function postgresHost(url: string): string | null {
  const { searchParams, hostname } = new URL(url);
  const host = [hostname, ...searchParams.getAll('host').slice(-1)].findLast((each) => each !== '') ?? '';
  return /^(?:\/|%2f)/i.test(host) ? null : host;
}

/** The host that is talked to unencrypted, or without knowing who it is: anybody in between can show a certificate. */
function openPostgres({ url, ssl, sslCa }: DatabaseEnvironment): string | null {
  const isProven = ssl === 'verify-full' || (ssl === 'require' && sslCa !== null);
  const host = postgresHost(url.value);
  return isProven || host === null || isLoopback(host) ? null : host;
}

function openKafka({ brokers, ssl }: KafkaEnvironment): string | null {
  const others = brokers.filter((broker) => !isLoopback(broker.replace(/:\d+$/, '')));
  return ssl !== null || others.length === 0 ? null : others.join(', ');
}

function openAddresses(...urls: readonly string[]): string | null {
  const open = urls.filter((url) => !isSecureUrl(url));
  return open.length === 0 ? null : open.join(', ');
}

/** The secret of the client goes to where its tokens come from. */
function openRegistry({ url, login }: SchemaRegistryEnvironment): string | null {
  return openAddresses(url, ...(login.kind === 'oauth' ? [login.tokenUrl] : []));
}

/** The address of a receiver may carry a token: its host alone is named. */
function openNotices({ webhook, mail }: NoticesEnvironment): string | null {
  const receiver = webhook === null || isSecureUrl(webhook.url.value) ? [] : [new URL(webhook.url.value).host];
  const relay =
    mail === null || mail.relay.isTls || mail.relay.needsTls || isLoopback(mail.relay.host) ? [] : [mail.relay.host];
  const open = [...receiver, ...relay];
  return open.length === 0 ? null : open.join(', ');
}

/** Of the proxy's password alone: what is meant for the partner goes through it encrypted. */
function openProxy(url: string): string | null {
  const { password, host } = URL.parse(url) ?? { password: '', host: '' };
  return password === '' || isSecureUrl(url) ? null : host;
}

type Parts = Pick<
  Environment,
  'database' | 'kafka' | 'schemaRegistry' | 'wallet' | 'process' | 'tracing' | 'vault' | 'notices'
>;

/** What would leave this machine unencrypted, and to whom. */
function openLinks({
  database,
  kafka,
  schemaRegistry,
  wallet,
  tracing,
  vault,
  notices,
  process,
}: Parts): ReadonlyMap<string, string> {
  const links: readonly (readonly [string, string | null])[] = [
    ['postgres', database && openPostgres(database)],
    ['kafka', kafka && openKafka(kafka)],
    ['registry', schemaRegistry && openRegistry(schemaRegistry)],
    ['partner', wallet && openAddresses(wallet.baseUrl, wallet.authUrl)],
    ['otlp', tracing && openAddresses(tracing.endpoint)],
    ['vault', vault && openAddresses(vault.address)],
    ['notices', notices && openNotices(notices)],
    ['password of HTTPS_PROXY', process.httpsProxy && openProxy(process.httpsProxy.value)],
  ];
  return new Map(links.filter((link): link is readonly [string, string] => link[1] !== null));
}

/**
 * The partner's addresses are refused where they are read. Each error is about the variable that says where: a followed file
 * that moves the database elsewhere is then not taken over.
 */
const refusals = [
  {
    name: 'postgres',
    variable: 'DATABASE_URL',
    tls: 'DATABASE_SSL',
    rule:
      'the host is not this machine, and DATABASE_SSL must then be verify-full, or require with DATABASE_SSL_CA_FILE (whose ' +
      'authority verify-full needs as well, unless it is a public one); or ALLOW_CLEARTEXT names postgres',
  },
  {
    name: 'kafka',
    variable: 'KAFKA_BROKERS',
    tls: 'KAFKA_SSL',
    rule:
      'a host is not this machine, and KAFKA_SSL must then be true (with KAFKA_SSL_CA_FILE, unless the authority is a public ' +
      'one); or ALLOW_CLEARTEXT names kafka',
  },
  {
    name: 'registry',
    variable: 'SCHEMA_REGISTRY_URL',
    tls: 'SCHEMA_REGISTRY_URL',
    rule: 'must be https unless it is loopback, or ALLOW_CLEARTEXT names registry',
  },
  {
    name: 'otlp',
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    tls: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    rule: 'must be https unless it is loopback, or ALLOW_CLEARTEXT names otlp',
  },
  {
    name: 'vault',
    variable: 'VAULT_ADDR',
    tls: 'VAULT_ADDR',
    rule: 'must be https unless it is loopback, or ALLOW_CLEARTEXT names vault',
  },
  {
    name: 'notices',
    variable: 'NOTICE_WEBHOOK_URL',
    tls: 'NOTICE_WEBHOOK_URL',
    rule: 'must be https unless it is loopback, or ALLOW_CLEARTEXT names notices',
  },
] as const;

const forgedRule =
  'with 0 a forged certificate is taken for a right one: unset it. An authority of your own goes into a ..._CA_FILE, or into ' +
  'NODE_EXTRA_CA_CERTS';

/**
 * Refuses what would leave this machine unencrypted, unless `ALLOW_CLEARTEXT` names it.
 * @returns what does all the same
 */
export function judgeCleartext(
  variables: VariableReader,
  allowed: AllowedCleartext,
  parts: Parts,
): Environment['cleartext'] {
  const setting = 'NODE_TLS_REJECT_UNAUTHORIZED';
  if (variables.text(setting) === '0') variables.fail(setting, forgedRule);
  const open = openLinks(parts);
  for (const { name, variable, tls, rule } of refusals) {
    // Where TLS itself was mistyped, nobody knows what it is to be.
    if (open.has(name) && !allowed.has(name) && !variables.hasFailed(tls)) variables.fail(variable, rule);
  }
  return Object.fromEntries(open);
}
