import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { createTestAuthority, loopbackCertificate } from '#test-support';
import type { Environment } from './environment.js';
import { extraHeadersOf } from './extra-headers.js';
import { readEnvironment, readEnvironmentParts, type EnvironmentOptions } from './read-environment.js';

const key = Buffer.from([...Array(32).keys()]).toString('base64');
const hash = 'ab'.repeat(32);
const complete = {
  KAFKA_BROKERS: 'kafka-1:9092, kafka-2:9092',
  KAFKA_SSL: 'true',
  DATABASE_URL: 'postgres://loyaltyd:hunter2@db/loyaltyd',
  DATABASE_SSL: 'verify-full',
  WALLET_BASE_URL: 'https://wallet.example/api/brands/',
  WALLET_AUTH_URL: 'https://auth.example/',
  WALLET_CLIENT_ID: 'client',
  WALLET_CLIENT_SECRET: 'hunter2',
  WALLET_SCOPE: 'https://wallet.example/admin',
  LOYALTYD_ENCRYPTION_KEY: key,
  OPS_TOKENS: `ada:admin:${hash}, ci:viewer:${hash.toUpperCase()}`,
};

const certificate = loopbackCertificate.cert;
const stranger = createTestAuthority('somebody else').issue({ hosts: ['localhost'] });
const files: Record<string, string> = {
  '/run/secret': 'from-file\n',
  '/run/empty': '\n',
  '/ca.pem': certificate,
  '/half.pem': certificate + certificate.slice(0, 40),
  '/key.pem': loopbackCertificate.key,
  '/other-key.pem': stranger.key,
  '/sealed-key.pem': '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n',
  '/headers': 'x-api-key=a%2Cb\n',
};
const readFile = (path: string): string => {
  const content = files[path];
  if (content === undefined) throw new Error(`ENOENT ${path}`);
  return content;
};

type Changes = Record<string, string | undefined>;

function read(changes: Changes = {}, options: Partial<EnvironmentOptions> = {}): Environment {
  const result = readEnvironment({ ...complete, ...changes }, { readFile, ...options });
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.value;
}

function errors(changes: Changes, options: Partial<EnvironmentOptions> = {}): readonly string[] {
  const result = readEnvironment({ ...complete, ...changes }, { readFile, ...options });
  return result.ok ? [] : result.errors;
}

const daysKept = {
  intentDays: 400,
  dedupDays: 400,
  quarantineDays: 400,
  unmappedDays: 30,
  jobDays: 400,
  auditDays: 400,
  erasedDays: 1_100,
};

describe('a complete environment', () => {
  it('has the defaults of the contract', () => {
    expect(read()).toEqual({
      roles: ['ingest', 'delivery', 'operations'],
      kafka: {
        brokers: ['kafka-1:9092', 'kafka-2:9092'],
        groupId: 'loyaltyd',
        startFrom: { kind: 'earliest' },
        topics: {
          members: 'loyalty.members',
          purchases: 'loyalty.purchases',
          rewards: 'loyalty.rewards',
          outcomes: 'loyalty.outcomes',
          audit: 'loyalty.audit',
          deadLetter: 'loyalty.dead-letter',
        },
        ...{ deadLetterValue: 'none', decompressedBytesMax: 64 * 1024 * 1024 },
        ssl: { ca: null, cert: null, key: null },
        sasl: null,
      },
      database: {
        url: { value: complete.DATABASE_URL, file: null },
        poolSize: 10,
        reading: { poolSize: 4, statementMsMax: 5_000 },
        ssl: 'verify-full',
        sslCa: null,
      },
      schemaRegistry: null,
      wallet: {
        baseUrl: 'https://wallet.example/api/brands',
        authUrl: 'https://auth.example',
        clientId: { value: 'client', file: null },
        clientSecret: { value: 'hunter2', file: null },
        scope: 'https://wallet.example/admin',
        timeoutMs: 10_000,
        keepAliveMs: 1_000,
        cert: null,
        key: null,
        tlsVersionMax: null,
        headers: null,
        tokenHeaders: null,
        ca: null,
        environment: 'sandbox',
      },
      programsFile: 'loyaltyd.yaml',
      sourcesFile: null,
      dialectFile: null,
      encryptionKeys: [new Uint8Array(Array(32).keys())],
      vault: null,
      notices: null,
      operations: {
        host: '0.0.0.0',
        port: 8080,
        basePath: '/',
        tokens: [
          { name: 'ada', role: 'admin', sha256: hash },
          { name: 'ci', role: 'viewer', sha256: hash },
        ],
        producers: [],
        oidc: null,
        ...{ readOnly: false, metrics: 'open', trustedProxies: [], docsUrl: null },
      },
      retention: { ...daysKept, hasDeadLetters: true },
      process: { logLevel: 'info', shutdownGraceMs: 25_000, httpsProxy: null, noProxy: null },
      tracing: null,
      cleartext: {},
      guessable: {},
    });
  });

  it('traces nothing where tracing is switched off, wherever traces would go', () => {
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318', OTEL_SDK_DISABLED: 'true' };
    expect(read(off).tracing).toBeNull();
  });

  it('takes an empty variable as absent', () => {
    expect(read({ LOG_LEVEL: '', KAFKA_GROUP_ID: ' ', WALLET_TIMEOUT_MS: '' })).toEqual(read());
  });

  it('reads every other setting', () => {
    const environment = read({
      KAFKA_START_FROM: '2026-11-21T10:15:04+01:00',
      KAFKA_TOPIC_MEMBERS: 'members',
      KAFKA_TOPIC_OUTCOMES: 'none',
      KAFKA_TOPIC_AUDIT: 'people',
      DEAD_LETTER_VALUE: 'original',
      KAFKA_SSL_CA_FILE: '/ca.pem',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: ' p ',
      DATABASE_POOL_SIZE: '25',
      DATABASE_SSL: 'require',
      DATABASE_SSL_CA_FILE: '/ca.pem',
      RETENTION_INTENT_DAYS: '90',
      RETENTION_QUARANTINE_DAYS: '0',
      RETENTION_AUDIT_DAYS: '365',
      WALLET_ENVIRONMENT: 'production',
      WALLET_DIALECT: 'dialect.yaml',
      OPS_BASE_PATH: '/loyalty/',
      OPS_OIDC_ISSUER: 'https://id.example',
      OPS_OIDC_AUDIENCE: 'loyaltyd',
      OPS_OIDC_PROGRAMS_CLAIM: 'access.programs',
      OPS_OIDC_CLIENTS: 'cli, shop',
      OPS_OIDC_CONSOLE_CLIENT: 'shop',
      OPS_OIDC_CONSOLE_SCOPE: 'openid loyaltyd',
      OPS_READ_ONLY: 'true',
      OPS_METRICS: 'token',
      OPS_DOCS_URL: 'https://docs.example/loyaltyd',
      OPS_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7, 2001:db8::/32',
      HTTPS_PROXY: 'http://user:pass@proxy:3128',
      NO_PROXY: 'upper.example',
      no_proxy: ' .internal, 10.0.0.7:8443 ',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x=y=z',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_SERVICE_NAME: 'loyaltyd-berlin',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(environment).toMatchObject({
      kafka: {
        groupId: 'loyaltyd',
        startFrom: { kind: 'time', timeMs: Date.parse('2026-11-21T09:15:04Z') },
        topics: { members: 'members', outcomes: null, audit: 'people' },
        deadLetterValue: 'original',
        ssl: { ca: { value: certificate, file: '/ca.pem' }, cert: null, key: null },
        sasl: { mechanism: 'scram-sha-512', username: 'u', password: { value: ' p ', file: null } },
      },
      database: { poolSize: 25, ssl: 'require', sslCa: { file: '/ca.pem' } },
      retention: { intentDays: 90, dedupDays: 400, quarantineDays: 0, auditDays: 365 },
      wallet: { environment: 'production' },
      dialectFile: 'dialect.yaml',
      operations: {
        basePath: '/loyalty',
        oidc: {
          ...{ issuer: 'https://id.example', audience: 'loyaltyd', roleClaim: 'roles' },
          ...{ programsClaim: 'access.programs', clients: ['cli', 'shop'] },
          console: { clientId: 'shop', scope: 'openid loyaltyd' },
        },
        ...{ readOnly: true, metrics: 'token', trustedProxies: ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32'] },
        docsUrl: 'https://docs.example/loyaltyd/',
      },
      process: {
        httpsProxy: { value: 'http://user:pass@proxy:3128', file: null },
        noProxy: '.internal, 10.0.0.7:8443',
      },
      tracing: {
        endpoint: 'https://otel:4318',
        headers: { value: 'api-key=a%20b, x=y=z', file: null },
        serviceName: 'loyaltyd-berlin',
        resourceAttributes: { 'deployment.environment.name': 'staging' },
        sampling: { kind: 'ratio', ratio: 0.25, isParentBased: true },
      },
    });
  });
});

describe('operator tokens', () => {
  it('may be limited to programs, percent-encoded, whatever these are called', () => {
    const text = `ada:operator:${hash}:tea+coffee%20%26%20cake%2C%20M%C3%BCnchen`;
    expect(read({ OPS_TOKENS: text }).operations.tokens).toEqual([
      { name: 'ada', role: 'operator', sha256: hash, programs: ['tea', 'coffee & cake, München'] },
    ]);
  });
});

describe('tokens of producers', () => {
  it('name their sources, and the types where they are limited to some; they are no operators', () => {
    const type = 'loyalty.purchase.completed.v1';
    const text = `till:producer:${hash}:tills+web:${type},shop:producer:${hash.toUpperCase()}:web,ada:admin:${hash}`;
    const { producers, tokens } = read({ OPS_TOKENS: text }).operations;
    expect(producers).toEqual([
      { name: 'till', sha256: hash, sources: ['tills', 'web'], types: [type] },
      { name: 'shop', sha256: hash, sources: ['web'] },
    ]);
    expect(tokens).toEqual([{ name: 'ada', role: 'admin', sha256: hash }]);
  });

  it.each([
    ['no source', `shop:producer:${hash}`],
    ['an empty source', `shop:producer:${hash}:`],
    ['a third limit', `shop:producer:${hash}:web:type:more`],
    ['the name of an operator', `shop:producer:${hash}:web,shop:viewer:${hash}`],
  ])('are refused with %s', (_what, text) => {
    expect(errors({ OPS_TOKENS: text })).toEqual([expect.stringContaining('OPS_TOKENS')]);
  });
});

describe('the door', () => {
  it('is opened by its role, which nobody has by default, and needs Kafka', () => {
    expect(read({}).roles).not.toContain('door');
    expect(read({ LOYALTYD_ROLES: 'door' }).roles).toEqual(['door']);
    expect(errors({ LOYALTYD_ROLES: 'door', KAFKA_BROKERS: undefined })).toEqual(['KAFKA_BROKERS: required']);
  });

  it('is not opened where nobody may change anything', () => {
    expect(errors({ LOYALTYD_ROLES: 'door', OPS_READ_ONLY: 'true' })).toEqual([
      'OPS_READ_ONLY: goes without the role door, which writes',
    ]);
  });
});

describe('secrets', () => {
  it.each(['DATABASE_URL', 'WALLET_CLIENT_ID', 'WALLET_CLIENT_SECRET', 'LOYALTYD_ENCRYPTION_KEY', 'OPS_TOKENS'])(
    '%s may come from a file',
    (name) => {
      files['/run/value'] = `${complete[name as keyof typeof complete]}\n`;
      expect(errors({ [name]: undefined, [`${name}_FILE`]: '/run/value' })).toEqual([]);
    },
  );

  it('and PEM files say from where they came, by variable', () => {
    const env = {
      ...complete,
      WALLET_CLIENT_ID: '',
      WALLET_CLIENT_ID_FILE: '/run/secret',
      KAFKA_SSL_KEY_FILE: '/key.pem',
    };
    const parts = readEnvironmentParts({ ...env, KAFKA_SSL_CERT_FILE: '/ca.pem' }, { readFile });
    expect(parts.errors).toEqual([]);
    expect(parts.value.kafka?.ssl).toMatchObject({ ca: null, cert: { value: certificate }, key: { file: '/key.pem' } });
    expect(Object.fromEntries(parts.files)).toEqual({
      WALLET_CLIENT_ID_FILE: '/run/secret',
      KAFKA_SSL_CERT_FILE: '/ca.pem',
      KAFKA_SSL_KEY_FILE: '/key.pem',
    });
  });

  it('remember their file', () => {
    files['/run/proxy'] = 'http://user:pass@proxy:3128\n';
    const own = { WALLET_CLIENT_SECRET: undefined, WALLET_CLIENT_SECRET_FILE: '/run/secret' };
    const { wallet, process } = read({ ...own, HTTPS_PROXY_FILE: '/run/proxy' });
    expect(wallet?.clientSecret).toEqual({ value: 'from-file', file: '/run/secret' });
    expect(process.httpsProxy).toEqual({ value: 'http://user:pass@proxy:3128', file: '/run/proxy' });
  });

  it.each([
    [{ WALLET_CLIENT_SECRET_FILE: '/run/secret' }, 'WALLET_CLIENT_SECRET: set it or WALLET_CLIENT_SECRET_FILE'],
    [{ WALLET_CLIENT_SECRET: '', WALLET_CLIENT_SECRET_FILE: '/none' }, 'WALLET_CLIENT_SECRET_FILE: the file cannot'],
    [
      { WALLET_CLIENT_SECRET: '', WALLET_CLIENT_SECRET_FILE: '/run/empty' },
      'WALLET_CLIENT_SECRET_FILE: the file is empty',
    ],
  ])('%j', (changes, error) => {
    expect(errors(changes)).toEqual([expect.stringContaining(error)]);
  });

  it('decode several encryption keys, the first first', () => {
    const second = Buffer.from([...Array(32).keys()].toReversed()).toString('base64url');
    const keys = read({ LOYALTYD_ENCRYPTION_KEY: `${key},${second}` }).encryptionKeys;
    expect(keys?.map((bytes) => bytes instanceof Uint8Array && [bytes.length, bytes[0]])).toEqual([
      [32, 0],
      [32, 31],
    ]);
  });
});

describe('refused, one message per variable', () => {
  it.each([
    ['KAFKA_BROKERS', undefined, 'required'],
    ['KAFKA_BROKERS', 'kafka', 'must be a comma list of host:port'],
    ['KAFKA_DECOMPRESSED_BYTES_MAX', '1024', 'must be a whole number from 1048576 to 1073741824'],
    ['KAFKA_START_FROM', 'yesterday', 'must be earliest, latest or an RFC 3339 time'],
    ['KAFKA_TOPIC_MEMBERS', 'a topic', 'must be a Kafka topic name'],
    ['KAFKA_SSL', 'maybe', 'must be one of true, false'],
    ['KAFKA_SASL_MECHANISM', 'gssapi', 'must be one of plain'],
    ['KAFKA_SASL_PASSWORD', 'hunter2', 'needs KAFKA_SASL_MECHANISM'],
    ['DEAD_LETTER_VALUE', 'some', 'must be one of original, none'],
    ['DATABASE_URL', undefined, 'required'],
    ['DATABASE_URL', 'mysql://hunter2@db', 'must be a postgres://'],
    ['DATABASE_URL', 'postgres://u:hunter2@db/x?sslmode=disable', 'must not set sslmode'],
    ['DATABASE_SSL_CA_FILE', '/none', 'the file cannot be read'],
    ['WALLET_CA_FILE', '/half.pem', 'the file holds no CERTIFICATE in PEM'],
    ['KAFKA_SSL_CA_FILE', '/run/secret', 'the file holds no CERTIFICATE in PEM'],
    ['DATABASE_POOL_SIZE', '1', 'must be a whole number from 2 to 1000'],
    ['DATABASE_POOL_SIZE', '1.5', 'must be a whole number'],
    ['RETENTION_DEDUP_DAYS', '-1', 'must be 0 (for ever), or a whole number from 30 to 36500'],
    ['RETENTION_INTENT_DAYS', '29', 'must be 0 (for ever), or a whole number from 30 to 36500'],
    ['DATABASE_SSL', 'on', 'must be one of disable, require, verify-full'],
    ['WALLET_BASE_URL', undefined, 'required'],
    ['WALLET_BASE_URL', 'https://wallet.example', 'must end with /brands'],
    ['WALLET_BASE_URL', 'http://wallet.example/brands', 'must be https unless it is loopback'],
    ['WALLET_BASE_URL', 'http://127.0.0.1.evil.example/brands', 'must be https unless it is loopback'],
    ['WALLET_BASE_URL', 'ftp://wallet.example/brands', 'must be an http or https address'],
    ['WALLET_BASE_URL', 'https://wallet.example/brands?x=1', 'must have no user, query or fragment'],
    ['WALLET_BASE_URL', 'https://u:hunter2@wallet.example/brands', 'must have no user, query or fragment'],
    ['WALLET_AUTH_URL', 'http://auth.example', 'must be https unless it is loopback'],
    ['WALLET_CLIENT_ID', undefined, 'required'],
    ['WALLET_CLIENT_SECRET', undefined, 'required'],
    ['WALLET_SCOPE', undefined, 'required'],
    ['WALLET_TIMEOUT_MS', '10s', 'must be a whole number'],
    ['WALLET_ENVIRONMENT', 'staging', 'must be one of sandbox, production'],
    ['LOYALTYD_ROLES', 'ingest,cook', 'must be a comma list of ingest, delivery, operations'],
    ['LOYALTYD_ENCRYPTION_KEY', undefined, 'required'],
    ['LOYALTYD_ENCRYPTION_KEY', 'hunter2', 'must be base64 of 32 bytes'],
    ['LOYALTYD_ENCRYPTION_KEY', `${key},hunter2`, 'must be base64 of 32 bytes'],
    ['LOYALTYD_ENCRYPTION_KEY', Buffer.alloc(32).toString('base64'), 'must be random'],
    [
      'LOYALTYD_ENCRYPTION_KEY',
      `${key},${Buffer.from('0123456789abcde'.repeat(3)).toString('base64', 0, 32)}`,
      'must be random',
    ],
    ['OPS_PORT', '65536', 'must be a whole number from 0 to 65535'],
    ['OPS_BASE_PATH', 'loyalty', 'must be a path that starts with /'],
    ['OPS_BASE_PATH', '//elsewhere.example', 'must be a path that starts with /'],
    ['OPS_BASE_PATH', '/a"b', 'must be a path that starts with /'],
    ['OPS_BASE_PATH', '/loyalty/..', 'must have no part that is . or ..'],
    ['OPS_OIDC_CONSOLE_CLIENT', 'console', 'needs OPS_OIDC_ISSUER'],
    ['OPS_OIDC_CONSOLE_SCOPE', 'openid  profile', 'must be names with one space between them'],
    ['OPS_TOKENS', undefined, 'required by the operations role'],
    ['OPS_TOKENS', ',', 'must be a comma list of name:role:sha256hex'],
    ['OPS_TOKENS', 'ada:admin:hunter2', 'must be a comma list of name:role:sha256hex'],
    ['OPS_TOKENS', `ada:root:${hash}`, 'must be a comma list of name:role:sha256hex'],
    ['OPS_TOKENS', `ada:admin:${hash},ada:viewer:${hash}`, 'one name twice'],
    [
      'OPS_TOKENS',
      `ada:admin:${hash}:`,
      'must be a comma list of name:role:sha256hex or name:role:sha256hex:program+program',
    ],
    [
      'OPS_TOKENS',
      `ada:admin:${hash}:tea++coffee`,
      'must be a comma list of name:role:sha256hex or name:role:sha256hex:program+program',
    ],
    [
      'OPS_TOKENS',
      `ada:admin:${hash}:tea club`,
      'must be a comma list of name:role:sha256hex or name:role:sha256hex:program+program',
    ],
    [
      'OPS_TOKENS',
      `ada:admin:${hash}:tea%ff`,
      'must be a comma list of name:role:sha256hex or name:role:sha256hex:program+program',
    ],
    [
      'OPS_TOKENS',
      `ada:admin:${hash}:tea:coffee`,
      'must be a comma list of name:role:sha256hex or name:role:sha256hex:program+program',
    ],
    ['OPS_OIDC_ISSUER', 'http://id.example', 'must be https unless it is loopback'],
    ['OPS_READ_ONLY', 'yes', 'must be one of true, false'],
    ['OPS_TRUSTED_PROXIES', '10.0.0.0/33', 'must be a comma list of addresses'],
    ['OPS_TRUSTED_PROXIES', '0.0.0.0/0', 'must be a comma list of addresses'],
    ['OPS_TRUSTED_PROXIES', 'proxy.example', 'must be a comma list of addresses'],
    ['OPS_METRICS', 'closed', 'must be one of open, token, off'],
    ['LOG_LEVEL', 'loud', 'must be one of fatal'],
    ['SHUTDOWN_GRACE_MS', '-1', 'must be a whole number'],
    ['HTTPS_PROXY', 'proxy:3128', 'must be an http or https address'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'otel', 'must be an http or https address'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2', 'must be a comma list of name=value'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of http/json, http/protobuf'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a number from 0 to 1'],
  ])('%s=%s: %s', (name, value, rule) => {
    const found = errors({ OPS_OIDC_AUDIENCE: 'loyaltyd', [name]: value });
    expect(found).toEqual([expect.stringContaining(`${name}: ${rule}`)]);
    expect(found.join()).not.toContain('hunter2');
  });

  it('names everything at once', () => {
    const result = readEnvironment({}, { readFile });
    expect(result).toEqual({
      ok: false,
      errors: [
        'KAFKA_BROKERS: required',
        'DATABASE_URL: required',
        'WALLET_BASE_URL: required',
        'WALLET_AUTH_URL: required',
        'WALLET_CLIENT_ID: required',
        'WALLET_CLIENT_SECRET: required',
        'WALLET_SCOPE: required',
        'LOYALTYD_ENCRYPTION_KEY: required',
        'OPS_TOKENS: required by the operations role, unless OPS_OIDC_ISSUER is set',
      ],
    });
  });

  it('refuses combinations that cannot work', () => {
    const pair = 'KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE belong together';
    expect(errors({ KAFKA_SSL_CERT_FILE: '/ca.pem' })).toEqual([`KAFKA_SSL_KEY_FILE: ${pair}`]);
    expect(errors({ KAFKA_SSL_KEY_FILE: '/key.pem' })).toEqual([`KAFKA_SSL_CERT_FILE: ${pair}`]);
    expect(errors({ KAFKA_TOPIC_MEMBERS: 'loyalty.rewards' })).toEqual([expect.stringContaining('named twice')]);
    expect(errors({ KAFKA_SASL_MECHANISM: 'plain' })).toEqual([
      'KAFKA_SASL_USERNAME: required',
      'KAFKA_SASL_PASSWORD: required',
    ]);
    expect(errors({ KAFKA_SASL_MECHANISM: 'oauthbearer' })).toEqual([
      'KAFKA_SASL_PASSWORD: required by oauthbearer, unless KAFKA_OAUTH_TOKEN_URL is set',
    ]);
    expect(errors({ OPS_OIDC_ISSUER: 'https://id.example' })).toEqual(['OPS_OIDC_AUDIENCE: required']);
    const closed = { LOYALTYD_ROLES: 'ingest', OPS_TOKENS: undefined, OPS_METRICS: 'token' };
    expect(errors(closed)).toEqual(['OPS_METRICS: token needs OPS_TOKENS or OPS_OIDC_ISSUER']);
  });
});

describe('required only by the roles that use it', () => {
  const { DATABASE_URL, DATABASE_SSL, KAFKA_SSL } = complete;
  const bare = { DATABASE_URL, DATABASE_SSL, KAFKA_SSL, LOYALTYD_ENCRYPTION_KEY: key };
  const missing = (roles: NonNullable<EnvironmentOptions['roles']>, more: Changes = {}): readonly string[] => {
    const result = readEnvironment({ ...bare, ...more }, { readFile, roles });
    return result.ok ? [] : result.errors.map((error) => error.split(':')[0] ?? '');
  };

  it.each([
    ['ingest', ['KAFKA_BROKERS']],
    [
      'delivery',
      [
        ...['KAFKA_BROKERS', 'WALLET_BASE_URL', 'WALLET_AUTH_URL'],
        ...['WALLET_CLIENT_ID', 'WALLET_CLIENT_SECRET', 'WALLET_SCOPE'],
      ],
    ],
    ['operations', ['OPS_TOKENS']],
  ] as const)('%s', (role, names) => {
    expect(missing([role])).toEqual(names);
  });

  it('delivery needs no Kafka where what it publishes is turned off', () => {
    const [outcomes, audit] = [{ KAFKA_TOPIC_OUTCOMES: 'none' }, { KAFKA_TOPIC_AUDIT: 'none' }];
    expect(missing(['delivery'], { ...outcomes, ...audit })).not.toContain('KAFKA_BROKERS');
    for (const one of [outcomes, audit]) expect(missing(['delivery'], one)).toContain('KAFKA_BROKERS');
  });

  it('no role at all needs nothing', () => {
    expect(readEnvironment({}, { readFile, roles: [] })).toMatchObject({
      ok: true,
      value: { kafka: null, database: null },
    });
  });

  it('but whatever is set must be right', () => {
    expect(missing(['ingest'], { KAFKA_BROKERS: 'k:1', OPS_PORT: 'x', WALLET_BASE_URL: 'x' })).toContain('OPS_PORT');
    expect(missing(['ingest'], { KAFKA_BROKERS: 'k:1', WALLET_BASE_URL: 'x' })).toContain('WALLET_BASE_URL');
  });

  it('operations may start without tokens when told so', () => {
    expect(errors({ OPS_TOKENS: undefined }, { requireOperators: false })).toEqual([]);
    expect(read({ OPS_TOKENS: undefined }, { requireOperators: false }).operations.tokens).toEqual([]);
  });

  it('LOYALTYD_ROLES decides when the caller does not', () => {
    const result = readEnvironment({ ...bare, KAFKA_BROKERS: 'k:1', LOYALTYD_ROLES: 'ingest' }, { readFile });
    expect(result).toMatchObject({ ok: true, value: { roles: ['ingest'], wallet: null } });
  });
});

describe('whatever is set', () => {
  it('never throws and never shows a value', () => {
    const marker = 'q7z-marker';
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(complete)), fc.string({ unit: 'binary' }), (name, text) => {
        const found = errors({ [name]: `${text}${marker}` });
        expect(found.join('\n')).not.toContain(marker);
      }),
    );
  });
});

describe('secrets that anybody could guess', () => {
  const sevens = Buffer.alloc(32, 7).toString('base64');
  const compose = readFileSync('docker-compose.yml', 'utf8');
  const composeKey = /LOYALTYD_ENCRYPTION_KEY:-([^}]+)\}/.exec(compose)?.[1] ?? '';
  const here = { WALLET_BASE_URL: 'http://127.0.0.1:4010/brands', WALLET_AUTH_URL: 'http://127.0.0.1:4010' };

  it.each([
    ['not random', sevens, 'must be random'],
    ['published', composeKey, 'shows to everybody'],
  ])('are refused, or told where the partner is one of this machine: a key that is %s', (why, secret, rule) => {
    const changes = { LOYALTYD_ENCRYPTION_KEY: secret };
    expect(errors(changes)).toEqual([expect.stringContaining(rule)]);
    expect(errors({ ...changes, ...here, WALLET_BASE_URL: 'https://127.0.0.1/brands' })).toHaveLength(1);
    expect(read({ ...changes, ...here }).guessable).toEqual({ LOYALTYD_ENCRYPTION_KEY: why });
    expect(read({ ...changes, ALLOW_CLEARTEXT: 'partner' }).guessable).toEqual({ LOYALTYD_ENCRYPTION_KEY: why });
  });

  it('a key of zeros is refused everywhere: it is one that was not filled in', () => {
    const zeros = Buffer.alloc(32).toString('base64');
    expect(errors({ LOYALTYD_ENCRYPTION_KEY: zeros, ...here })).toEqual([expect.stringContaining('must be random')]);
  });
});

describe('a login to Kafka by token', () => {
  const fetched = {
    KAFKA_SASL_MECHANISM: 'oauthbearer',
    KAFKA_OAUTH_TOKEN_URL: 'https://id.example/token',
    KAFKA_OAUTH_CLIENT_ID: 'loyaltyd',
    KAFKA_OAUTH_CLIENT_SECRET_FILE: '/run/secret',
  };

  it('has the token, or says where one is to be had', () => {
    const given = { KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_SASL_PASSWORD_FILE: '/run/secret' };
    expect(read(given).kafka?.sasl).toEqual({
      mechanism: 'oauthbearer',
      token: { value: 'from-file', file: '/run/secret' },
      extensions: {},
    });
    const more = { KAFKA_OAUTH_SCOPE: 'a b', KAFKA_SASL_EXTENSIONS: 'logicalCluster=lkc-1,identityPoolId=pool-1' };
    expect(read({ ...fetched, ...more }).kafka?.sasl).toEqual({
      mechanism: 'oauthbearer',
      token: {
        url: 'https://id.example/token',
        clientId: { value: 'loyaltyd', file: null },
        clientSecret: { value: 'from-file', file: '/run/secret' },
        authenticateBy: 'basic',
        scope: 'a b',
        audience: null,
        ca: null,
        timeoutMs: 5_000,
      },
      extensions: { logicalCluster: 'lkc-1', identityPoolId: 'pool-1' },
    });
  });

  it.each([
    ['KAFKA_SASL_PASSWORD', { ...fetched, KAFKA_SASL_PASSWORD: 'hunter2' }, 'not both'],
    ['KAFKA_SASL_USERNAME', { ...fetched, KAFKA_SASL_USERNAME: 'hunter2' }, 'the token says who we are'],
    ['KAFKA_OAUTH_CLIENT_ID', { ...fetched, KAFKA_OAUTH_CLIENT_ID: undefined }, 'required'],
    ['KAFKA_OAUTH_TOKEN_URL', { ...fetched, KAFKA_OAUTH_TOKEN_URL: 'http://id.example/token' }, 'must be https'],
    ['KAFKA_OAUTH_CLIENT_AUTH', { ...fetched, KAFKA_OAUTH_CLIENT_AUTH: 'hunter2' }, 'must be one of basic, form'],
    ['KAFKA_SASL_EXTENSIONS', { ...fetched, KAFKA_SASL_EXTENSIONS: 'auth=hunter2' }, 'names of letters'],
    ['KAFKA_OAUTH_SCOPE', { KAFKA_OAUTH_SCOPE: 'hunter2' }, 'needs KAFKA_SASL_MECHANISM'],
  ])('is refused where it is not whole or not used: %s', (name, changes, rule) => {
    expect(errors(changes)).toEqual([expect.stringContaining(`${name}: `)]);
    expect(errors(changes).join()).toContain(rule);
    expect(errors(changes).join()).not.toContain('hunter2');
  });

  it('is refused beside a mechanism that does not use it', () => {
    const scram = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };
    const rule = 'needs KAFKA_SASL_MECHANISM=oauthbearer';
    expect(errors({ ...scram, KAFKA_OAUTH_AUDIENCE: 'x' })).toEqual([`KAFKA_OAUTH_AUDIENCE: ${rule}`]);
  });
});

describe('a certificate of ours', () => {
  it.each(['WALLET', 'KAFKA_SSL'])('is one with its key: %s', (prefix) => {
    const [cert, key] = [`${prefix}_CERT_FILE`, `${prefix}_KEY_FILE`] as const;
    expect(errors({ [cert]: '/ca.pem', [key]: '/key.pem' })).toEqual([]);
    expect(errors({ [cert]: '/ca.pem' })).toEqual([`${key}: ${cert} and ${key} belong together`]);
    // Of both: where one is replaced before the other, neither is taken over.
    const strange = ': the key is not that of the certificate';
    expect(errors({ [cert]: '/ca.pem', [key]: '/other-key.pem' })).toEqual([`${cert}${strange}`, `${key}${strange}`]);
    expect(errors({ [cert]: '/ca.pem', [key]: '/sealed-key.pem' }).join()).toContain('is the key encrypted?');
  });
});

describe('headers towards the partner', () => {
  it('are read by name, percent-decoded, from the variable or its file', () => {
    const { wallet } = read({
      WALLET_HEADERS: 'Ocp-Apim-Key=a%20b, x-tenant=7',
      WALLET_TOKEN_HEADERS_FILE: '/headers',
    });
    expect(extraHeadersOf(wallet?.headers ?? null)).toEqual({ 'ocp-apim-key': 'a b', 'x-tenant': '7' });
    expect(extraHeadersOf(wallet?.tokenHeaders ?? null)).toEqual({ 'x-api-key': 'a,b' });
    expect(extraHeadersOf(null)).toEqual({});
  });

  it.each([
    ['Authorization=hunter2', 'authorization is ours to set'],
    ['content-length=7', 'content-length is ours to set'],
    ['Proxy-Authorization=hunter2', 'proxy-authorization is ours to set'],
    ['x key=hunter2', 'must be a comma list'],
    ['x%0Akey=hunter2', 'a name is none of a header'],
    ['x-key=hunter2%0D%0Aevil: 1', 'the value of x-key must be visible ASCII'],
    ['x-key=', 'the value of x-key must be visible ASCII'],
    ['x-key=a,X-Key=hunter2', 'one header is named twice'],
    ['x-key=a,x-key=hunter2', 'one header is named twice'],
  ])('are refused where they would be ours, or none: %s', (text, rule) => {
    expect(errors({ WALLET_HEADERS: text })).toEqual([expect.stringContaining(`WALLET_HEADERS: ${rule}`)]);
    expect(errors({ WALLET_HEADERS: text }).join()).not.toContain('hunter2');
  });
});
