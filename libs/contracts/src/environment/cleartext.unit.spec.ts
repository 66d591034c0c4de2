import { readEnvironmentParts, type EnvironmentParts } from './read-environment.js';
import { isLoopback } from './variables.js';

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

/** Everything on this machine, as a developer has it. */
const local = {
  KAFKA_BROKERS: '127.0.0.1:9092,[::1]:9093',
  DATABASE_URL: 'postgres://loyaltyd:hunter2@localhost/loyaltyd',
  WALLET_BASE_URL: 'http://127.0.0.1:4010/brands',
  WALLET_AUTH_URL: 'http://localhost:4010',
  WALLET_CLIENT_ID: 'client',
  WALLET_CLIENT_SECRET: 'hunter2',
  WALLET_SCOPE: 'admin',
  LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
  OPS_TOKENS: `ada:admin:${'a'.repeat(64)}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://[::1]:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter2',
  VAULT_ADDR: 'http://127.0.0.1:8200',
  VAULT_TRANSIT_KEY_NAME: 'loyaltyd',
  VAULT_TOKEN: 'hunter2',
};

type Changes = Readonly<Record<string, string>>;

const read = (changes: Changes): EnvironmentParts =>
  readEnvironmentParts({ ...local, ...changes }, { readFile: () => certificate });

/** Names of the variables that are refused. */
function refused(changes: Changes): readonly string[] {
  const { errors } = read(changes);
  expect(errors.join()).not.toContain('hunter2');
  return errors.map((error) => error.slice(0, error.indexOf(':')));
}

const elsewhere = {
  KAFKA_BROKERS: '127.0.0.1:9092,kafka:9092',
  DATABASE_URL: 'postgres://loyaltyd:hunter2@db/loyaltyd',
  WALLET_BASE_URL: 'http://wallet:4010/brands',
  WALLET_AUTH_URL: 'http://wallet:4010',
  SCHEMA_REGISTRY_URL: 'http://registry:8081',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318',
  VAULT_ADDR: 'http://vault:8200',
};

describe('this machine', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['localhost.example.org', '127.0.0.1.example.org', '127.0.0.999', '10.0.0.1', '0.0.0.0', '::', 'kafka', ''])(
    'is not %p',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );

  it('needs no encryption', () => {
    expect([refused({}), read({}).value.cleartext]).toEqual([[], {}]);
  });

  it.each(['/var/run/postgresql', '%2Fvar%2Frun%2Fpostgresql'])('is where a socket of Postgres lies, %s', (path) => {
    const url = path.startsWith('/') ? `postgres:///x?host=${path}` : `postgres://u:hunter2@${path}/x`;
    expect(refused({ DATABASE_URL: url })).toEqual([]);
  });
});

describe('what would leave this machine unencrypted', () => {
  it('is refused, all at once, each with its way out', () => {
    expect(refused(elsewhere)).toEqual([
      'WALLET_BASE_URL',
      'WALLET_AUTH_URL',
      'DATABASE_URL',
      'KAFKA_BROKERS',
      'SCHEMA_REGISTRY_URL',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'VAULT_ADDR',
    ]);
    for (const error of read(elsewhere).errors) expect(error).toMatch(/ALLOW_CLEARTEXT names \w+/);
  });

  it.each([
    ['a login too', { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'hunter2' }],
    ['with TLS switched off under a certificate', { KAFKA_SSL: 'false', KAFKA_SSL_CA_FILE: '/ca.pem' }],
  ])('is refused to a broker, %s', (_what, changes) => {
    expect(refused({ KAFKA_BROKERS: elsewhere.KAFKA_BROKERS, ...changes })).toEqual(['KAFKA_BROKERS']);
  });

  it.each<readonly [string, Changes, readonly string[]]>([
    ['no TLS', { DATABASE_SSL: 'disable' }, ['DATABASE_URL']],
    ['any certificate', { DATABASE_SSL: 'require' }, ['DATABASE_URL']],
    ['one of an authority', { DATABASE_SSL: 'require', DATABASE_SSL_CA_FILE: '/ca.pem' }, []],
    ['one of a public authority, for this host', { DATABASE_SSL: 'verify-full' }, []],
  ])('and what anybody in between could read, of Postgres with %s', (_what, changes, names) => {
    expect(refused({ DATABASE_URL: elsewhere.DATABASE_URL, ...changes })).toEqual(names);
  });

  it.each([
    'postgres://u:hunter2@localhost/x?host=db',
    'postgres://u:hunter2@localhost/x?host=localhost&host=db',
    'postgres:///x',
    'postgres://u:hunter2@localhost.example.org/x',
  ])('is refused where the driver goes, whatever the address seems to say: %s', (url) => {
    expect(refused({ DATABASE_URL: url })).toEqual(['DATABASE_URL']);
  });

  it('is taken with TLS', () => {
    const encrypted = {
      ...{ ...elsewhere, KAFKA_SSL: 'true', DATABASE_SSL: 'verify-full' },
      WALLET_BASE_URL: 'https://wallet/brands',
      WALLET_AUTH_URL: 'https://wallet',
      SCHEMA_REGISTRY_URL: 'https://registry:8081',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel:4318',
      VAULT_ADDR: 'https://vault:8200',
    };
    expect([refused(encrypted), read(encrypted).value.cleartext]).toEqual([[], {}]);
  });

  it('is not guessed at where TLS was mistyped', () => {
    expect(
      refused({ ...elsewhere, DATABASE_SSL: 'on', KAFKA_SSL: 'maybe', ALLOW_CLEARTEXT: 'registry,partner,otlp,vault' }),
    ).toEqual(['KAFKA_SSL', 'DATABASE_SSL']);
  });
});

describe('ALLOW_CLEARTEXT', () => {
  it('lets through what it names, and that is told', () => {
    const allowed = { ...elsewhere, ALLOW_CLEARTEXT: 'postgres, kafka,registry,partner,otlp,vault' };
    expect([refused(allowed), read(allowed).value.cleartext]).toEqual([
      [],
      {
        postgres: 'db',
        kafka: 'kafka:9092',
        registry: 'http://registry:8081',
        partner: 'http://wallet:4010/brands, http://wallet:4010',
        otlp: 'http://otel:4318',
        vault: 'http://vault:8200',
      },
    ]);
  });

  it.each([
    ['postgres', 'DATABASE_URL'],
    ['kafka', 'KAFKA_BROKERS'],
    ['registry', 'SCHEMA_REGISTRY_URL'],
    ['otlp', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ['vault', 'VAULT_ADDR'],
  ])('lets through nothing else: %s', (name, variable) => {
    expect(refused({ ...elsewhere, ALLOW_CLEARTEXT: name })).toHaveLength(6);
    expect(refused({ ...elsewhere, ALLOW_CLEARTEXT: name })).not.toContain(variable);
  });

  it('is refused with a name that it does not know', () => {
    expect(read({ ALLOW_CLEARTEXT: 'postgres,all' }).errors).toEqual([
      'ALLOW_CLEARTEXT: must be a comma list of postgres, kafka, registry, partner, otlp, vault, notices',
    ]);
  });

  it('never lets real cardholders go to the partner unencrypted', () => {
    const production = {
      ...elsewhere,
      ALLOW_CLEARTEXT: 'postgres,kafka,registry,partner,otlp,vault',
      WALLET_ENVIRONMENT: 'production',
    };
    expect(refused(production)).toEqual(['ALLOW_CLEARTEXT', 'WALLET_BASE_URL', 'WALLET_AUTH_URL']);
    expect(refused({ ALLOW_CLEARTEXT: 'partner', WALLET_ENVIRONMENT: 'production' })).toEqual(['ALLOW_CLEARTEXT']);
  });

  it('does not let an identity provider be asked unencrypted', () => {
    const issuer = { OPS_OIDC_ISSUER: 'http://id.example', OPS_OIDC_AUDIENCE: 'loyaltyd' };
    expect(refused({ ...issuer, ALLOW_CLEARTEXT: 'postgres,kafka,partner,otlp' })).toEqual(['OPS_OIDC_ISSUER']);
  });
});

it('a certificate that nobody looks at is refused, whatever is allowed', () => {
  const blind = { NODE_TLS_REJECT_UNAUTHORIZED: '0', ALLOW_CLEARTEXT: 'postgres,kafka,partner,otlp' };
  expect(refused(blind)).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED']);
  expect(refused({ NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([]);
});

it('a password that a proxy is told unencrypted is no error, for many proxies know no other way, and is told', () => {
  const told = (url: string): unknown => read({ HTTPS_PROXY: url }).value.cleartext;
  expect(told('http://user:hunter2@proxy:3128')).toEqual({ 'password of HTTPS_PROXY': 'proxy:3128' });
  for (const url of ['http://proxy:3128', 'https://user:hunter2@proxy', 'http://user:hunter2@127.0.0.1:3128']) {
    expect(told(url)).toEqual({});
  }
});
