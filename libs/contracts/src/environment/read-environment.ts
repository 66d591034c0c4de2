import { isIP } from 'node:net';

import { z } from 'zod';
import { judgeCleartext, readAllowedCleartext, type AllowedCleartext } from './cleartext.js';
import { readEncryptionKeys } from './encryption-keys.js';
import {
  DEFAULT_ROLES,
  LOG_LEVELS,
  ROLES,
  type DatabaseEnvironment,
  type Environment,
  type OperationsEnvironment,
  type OperatorToken,
  type ProcessEnvironment,
  type ProducerToken,
  type RetentionEnvironment,
  type Role,
  type Secret,
  type TracingEnvironment,
  type WalletEnvironment,
} from './environment.js';
import { readCertificatePair } from './certificate-pair.js';
import { readExtraHeaders } from './extra-headers.js';
import { readKafka } from './kafka-environment.js';
import { judgeGuessable } from './guessable-secrets.js';
import { readNotices } from './notices-environment.js';
import { parsePairs } from './pairs.js';
import { readSchemaRegistry } from './schema-registry-environment.js';
import {
  choiceSchema,
  flagSchema,
  integerSchema,
  isSecureUrl,
  listSchema,
  secureUrlSchema,
  textSchema,
  urlSchema,
  VariableReader,
  type Variables,
} from './variables.js';
import { readVault } from './vault-environment.js';

/** The `DATABASE_*` variables; `null` when the address is missing or wrong. */
function readDatabase(variables: VariableReader, isRequired: boolean): DatabaseEnvironment | null {
  const url = isRequired ? variables.requiredSecret('DATABASE_URL') : variables.secret('DATABASE_URL');
  const rest = {
    // A migration holds a lock on one connection while it works on another.
    poolSize: variables.withDefault('DATABASE_POOL_SIZE', integerSchema(2, 1000), 10),
    reading: {
      poolSize: variables.withDefault('DATABASE_READING_POOL_SIZE', integerSchema(2, 100), 4),
      statementMsMax: variables.withDefault('DATABASE_READING_STATEMENT_MS', integerSchema(100, 30_000), 5_000),
    },
    ssl: variables.withDefault('DATABASE_SSL', choiceSchema(['disable', 'require', 'verify-full']), 'disable'),
    sslCa: variables.pem('DATABASE_SSL_CA_FILE', 'CERTIFICATE'),
  };
  if (url === null) return null;
  if (!isPostgresUrl(url.value)) {
    return variables.fail('DATABASE_URL', 'must be a postgres:// or postgresql:// address');
  }
  if (saysTls(url.value)) {
    return variables.fail(
      'DATABASE_URL',
      'must not set sslmode or the like: DATABASE_SSL does, and would be overruled',
    );
  }
  return { url, ...rest };
}

function isPostgresUrl(text: string): boolean {
  return ['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? '');
}

/** The driver lets these overrule what it is told besides: a `sslmode=disable` would turn verify-full off unseen. */
function saysTls(text: string): boolean {
  return [...(URL.parse(text)?.searchParams.keys() ?? [])].some((name) => /^(?:ssl|use_?libpqcompat)/i.test(name));
}

const partnerUrlSchema = urlSchema.refine(isSecureUrl, {
  error: 'must be https unless it is loopback, or ALLOW_CLEARTEXT names partner (of a sandbox only)',
});

/** The `WALLET_*` variables: all of the first five or none; `null` when they are not set and not required. */
function readWallet(
  variables: VariableReader,
  isRequired: boolean,
  allowed: AllowedCleartext,
): WalletEnvironment | null {
  if (!isRequired && !variables.isSet('WALLET_BASE_URL')) return null;
  const schema = allowed.has('partner') ? urlSchema : partnerUrlSchema;
  const baseUrlSchema = schema.refine((url) => url.endsWith('/brands'), { error: 'must end with /brands' });
  const wallet = {
    baseUrl: variables.required('WALLET_BASE_URL', baseUrlSchema),
    authUrl: variables.required('WALLET_AUTH_URL', schema),
    clientId: variables.requiredSecret('WALLET_CLIENT_ID'),
    clientSecret: variables.requiredSecret('WALLET_CLIENT_SECRET'),
    scope: variables.required('WALLET_SCOPE', textSchema),
    timeoutMs: variables.withDefault('WALLET_TIMEOUT_MS', integerSchema(100, 600_000), 10_000),
    keepAliveMs: variables.withDefault('WALLET_KEEP_ALIVE_MS', integerSchema(0, 60_000), 1_000),
    environment: variables.withDefault('WALLET_ENVIRONMENT', choiceSchema(['sandbox', 'production']), 'sandbox'),
  };
  const optional = {
    ca: variables.pem('WALLET_CA_FILE', 'CERTIFICATE'),
    ...readCertificatePair(variables, 'WALLET'),
    tlsVersionMax: variables.optional('WALLET_TLS_MAX', choiceSchema(['1.2', '1.3'])),
    headers: readExtraHeaders(variables, 'WALLET_HEADERS'),
    tokenHeaders: readExtraHeaders(variables, 'WALLET_TOKEN_HEADERS'),
  };
  return isComplete(wallet) ? { ...wallet, ...optional } : null;
}

function isComplete<Group extends object>(
  group: Group,
): group is { [Key in keyof Group]: NonNullable<Group[Key]> } & Group {
  return Object.values(group).every((value) => value !== null);
}

const rule = {
  error:
    'must be a comma list of name:role:sha256hex or name:role:sha256hex:program+program, role one of viewer, operator, admin, or of name:producer:sha256hex:source+source, with :type+type behind it where it is limited to some; names percent-encoded',
};

/** What `encodeURIComponent` leaves as it is, and what it writes instead of everything else. */
const encodedName = String.raw`(?:[\w.!~*'()-]|%[0-9a-fA-F]{2})+`;
const encodedNames = String.raw`${encodedName}(?:\+${encodedName})*`;
const tokenPattern = new RegExp(
  String.raw`^[\w.@-]{1,100}:(?:(?:viewer|operator|admin):[0-9a-fA-F]{64}(?::${encodedNames})?|producer:[0-9a-fA-F]{64}(?::${encodedNames}){1,2})$`,
);

/** Null where it is not UTF-8. */
function decodedName(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

type AnyToken =
  | { readonly kind: 'operator'; readonly token: OperatorToken }
  | { readonly kind: 'producer'; readonly token: ProducerToken };

/** @param limits what stands behind the digest, decoded */
function tokenOf([name = '', role = '', sha256 = '']: readonly string[], limits: readonly string[][]): AnyToken {
  const token = { name, sha256: sha256.toLowerCase() };
  const [first, second] = limits;
  if (role === 'producer') {
    return { kind: 'producer', token: { ...token, sources: first ?? [], ...(second && { types: second }) } };
  }
  return {
    kind: 'operator',
    token: { ...token, role: role as OperatorToken['role'], ...(first && { programs: first }) },
  };
}

const tokenSchema = z
  .string()
  .regex(tokenPattern, rule)
  .transform((text, context): AnyToken => {
    const parts = text.split(':');
    const limits = parts.slice(3).map((limit) => limit.split('+').map(decodedName));
    const isDecoded = (names: readonly (string | null)[]): names is string[] => names.every((each) => each !== null);
    if (limits.every(isDecoded)) return tokenOf(parts, limits);
    context.addIssue(rule.error);
    return z.NEVER;
  });

const tokensSchema = listSchema.pipe(z.array(tokenSchema).min(1, rule));

const basePathSchema = z
  .string()
  .regex(/^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?$/, {
    error: 'must be a path that starts with /, of letters, digits, "-", ".", "_" and "~"',
  })
  .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), {
    error: 'must have no part that is . or ..',
  })
  .transform((path) => (path === '/' ? path : path.replace(/\/$/, '')));

/** By the version of the address. */
const addressBits = new Map([
  [4, 32],
  [6, 128],
]);

/** An address, or a block of them. All addresses there are cannot be meant: everybody could say who they are. */
const proxySchema = z.string().transform((text, context) => {
  const [, address = '', prefix = ''] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const bits = addressBits.get(isIP(address)) ?? 0;
  const length = prefix === '' ? bits : Number(prefix);
  if (bits > 0 && length <= bits) return `${address}/${length}`;
  context.addIssue('must be a comma list of addresses or blocks such as 10.0.0.0/8');
  return z.NEVER;
});

const docsUrlSchema = urlSchema.transform((url) => `${url}/`);

/** The `OPS_*` variables. With `needsOperators`, a token or OIDC is required. */
function readOperations(variables: VariableReader, needsOperators: boolean): OperationsEnvironment {
  const secret = variables.secret('OPS_TOKENS');
  const all = secret === null ? [] : readTokens(variables, secret.value);
  const oidc = readOidc(variables);
  if (needsOperators && !['OPS_TOKENS', 'OPS_OIDC_ISSUER'].some((name) => variables.isSet(name))) {
    variables.fail('OPS_TOKENS', 'required by the operations role, unless OPS_OIDC_ISSUER is set');
  }
  const metrics = variables.withDefault('OPS_METRICS', choiceSchema(['open', 'token', 'off']), 'open');
  if (metrics === 'token' && !needsOperators && !variables.isSet('OPS_TOKENS') && oidc === null) {
    variables.fail('OPS_METRICS', 'token needs OPS_TOKENS or OPS_OIDC_ISSUER');
  }
  return {
    host: variables.withDefault('OPS_HOST', textSchema, '0.0.0.0'),
    port: variables.withDefault('OPS_PORT', integerSchema(0, 65_535), 8080),
    basePath: variables.withDefault('OPS_BASE_PATH', basePathSchema, '/'),
    tokens: all.flatMap(({ kind, token }) => (kind === 'operator' ? [token] : [])),
    producers: all.flatMap(({ kind, token }) => (kind === 'producer' ? [token] : [])),
    oidc,
    readOnly: variables.withDefault('OPS_READ_ONLY', flagSchema, false),
    metrics,
    trustedProxies: variables.withDefault('OPS_TRUSTED_PROXIES', listSchema.pipe(z.array(proxySchema)), []),
    docsUrl: variables.optional('OPS_DOCS_URL', docsUrlSchema),
  };
}

function readTokens(variables: VariableReader, text: string): readonly AnyToken[] {
  const { success, data = [], error } = tokensSchema.safeParse(text);
  const names = new Set(data.map(({ token }) => token.name));
  if (success && names.size === data.length) return data;
  variables.fail('OPS_TOKENS', success ? 'one name twice' : (error.issues[0]?.message ?? 'invalid'));
  return [];
}

function readOidc(variables: VariableReader): OperationsEnvironment['oidc'] {
  const issuer = variables.optional('OPS_OIDC_ISSUER', secureUrlSchema);
  const roleClaim = variables.withDefault('OPS_OIDC_ROLE_CLAIM', textSchema, 'roles');
  const programsClaim = variables.optional('OPS_OIDC_PROGRAMS_CLAIM', textSchema);
  const clients = variables.withDefault('OPS_OIDC_CLIENTS', listSchema, []);
  const console = readOidcConsole(variables, clients);
  if (!variables.isSet('OPS_OIDC_ISSUER')) return null;
  const audience = variables.required('OPS_OIDC_AUDIENCE', textSchema);
  return issuer === null || audience === null ? null : { issuer, audience, roleClaim, programsClaim, clients, console };
}

/** RFC 6749, section 3.3. */
const scopeSchema = z
  .string()
  .regex(/^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/, { error: 'must be names with one space between them' });

/** @param clients those whose tokens are taken; empty: any */
function readOidcConsole(
  variables: VariableReader,
  clients: readonly string[],
): NonNullable<OperationsEnvironment['oidc']>['console'] {
  const clientId = variables.optional('OPS_OIDC_CONSOLE_CLIENT', textSchema);
  const scope = variables.withDefault('OPS_OIDC_CONSOLE_SCOPE', scopeSchema, 'openid profile');
  if (clientId === null) return null;
  if (!variables.isSet('OPS_OIDC_ISSUER')) return variables.fail('OPS_OIDC_CONSOLE_CLIENT', 'needs OPS_OIDC_ISSUER');
  // To let it in unseen would widen a list that somebody has made to keep others out.
  if (clients.length > 0 && !clients.includes(clientId)) {
    return variables.fail('OPS_OIDC_CONSOLE_CLIENT', 'must be one of OPS_OIDC_CLIENTS: its tokens would be refused');
  }
  return { clientId, scope };
}

const daysMax = 36_500;
/** What is under way at the partner, and replays of what parked, are long over by then. */
const daysMin = 30;
const daysRule = { error: `must be 0 (for ever), or a whole number from ${daysMin} to ${daysMax}` };
const daysSchema = z
  .string()
  .regex(/^\d+$/, daysRule)
  .transform(Number)
  .refine((days) => days === 0 || (days >= daysMin && days <= daysMax), daysRule);
/** More than a year: a purchase and its return, and what a report of last year asks for. */
const daysKept = 400;
/** Three years: longer than any topic or archive is kept from which a record of theirs might come. */
const erasedDaysKept = 1_100;

/** What nobody can tell whom it is about is not kept longer. */
const unmappedDaysMax = 30;
const unmappedDaysRule = { error: `must be a whole number from 1 to ${unmappedDaysMax}` };
const unmappedDaysSchema = z
  .string()
  .regex(/^\d+$/, unmappedDaysRule)
  .transform(Number)
  .refine((days) => days >= 1 && days <= unmappedDaysMax, unmappedDaysRule);

/** The `RETENTION_*` variables. */
function readRetention(variables: VariableReader): RetentionEnvironment {
  const days = (name: string, kept = daysKept): number => variables.withDefault(name, daysSchema, kept);
  const [dedupDays, erasedDays] = [days('RETENTION_DEDUP_DAYS'), days('RETENTION_ERASED_DAYS', erasedDaysKept)];
  if (erasedDays > 0 && erasedDays < dedupDays) {
    variables.fail(
      'RETENTION_ERASED_DAYS',
      "must be RETENTION_DEDUP_DAYS at least: what comes again would be a new member's",
    );
  }
  return {
    intentDays: days('RETENTION_INTENT_DAYS'),
    dedupDays,
    quarantineDays: days('RETENTION_QUARANTINE_DAYS'),
    unmappedDays: variables.withDefault('RETENTION_UNMAPPED_DAYS', unmappedDaysSchema, unmappedDaysMax),
    jobDays: days('RETENTION_JOB_DAYS'),
    auditDays: days('RETENTION_AUDIT_DAYS'),
    erasedDays,
    // Kafka is not set up everywhere where maintenance runs.
    hasDeadLetters: variables.text('KAFKA_TOPIC_DEAD_LETTER') !== 'none',
  };
}

const samplerSchema = choiceSchema([
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]);

const ratioRule = { error: 'must be a number from 0 to 1' };
const ratioSchema = z
  .string()
  .regex(/^\d*\.?\d+$/, ratioRule)
  .transform(Number)
  .refine((ratio) => ratio <= 1, ratioRule);

const pairsSchema = z.string().transform((text, context) => {
  const pairs = parsePairs(text);
  if (pairs !== null) return pairs;
  context.addIssue('must be a comma list of name=value');
  return z.NEVER;
});

/** http/protobuf goes to the same address; what understands it understands JSON. */
const protocolSchema = choiceSchema(['http/json', 'http/protobuf']);

const kinds = { always_on: 'always-on', always_off: 'always-off', traceidratio: 'ratio' } as const;

/** The `OTEL_*` variables; `null` when no endpoint is set, or all of it is switched off. */
function readTracing(variables: VariableReader): TracingEnvironment | null {
  const endpoint = variables.optional('OTEL_EXPORTER_OTLP_ENDPOINT', urlSchema);
  const isDisabled = variables.withDefault('OTEL_SDK_DISABLED', flagSchema, false);
  variables.optional('OTEL_EXPORTER_OTLP_PROTOCOL', protocolSchema);
  const rest = {
    headers: readHeaders(variables),
    serviceName: variables.optional('OTEL_SERVICE_NAME', textSchema),
    resourceAttributes: variables.withDefault('OTEL_RESOURCE_ATTRIBUTES', pairsSchema, {}),
    sampling: readSampling(variables),
  };
  return endpoint === null || isDisabled ? null : { endpoint, ...rest };
}

function readHeaders(variables: VariableReader): TracingEnvironment['headers'] {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = variables.secret(name);
  if (headers === null || parsePairs(headers.value) !== null) return headers;
  return variables.fail(name, 'must be a comma list of name=value');
}

function readSampling(variables: VariableReader): TracingEnvironment['sampling'] {
  const name = variables.withDefault('OTEL_TRACES_SAMPLER', samplerSchema, 'parentbased_always_on');
  const ratio = variables.withDefault('OTEL_TRACES_SAMPLER_ARG', ratioSchema, 1);
  const root = name.replace('parentbased_', '') as keyof typeof kinds;
  return { kind: kinds[root], ratio, isParentBased: name !== root };
}

const isRole = (name: string): name is Role => ROLES.some((role) => role === name);

const rolesSchema = listSchema
  .refine((names) => names.length > 0 && names.every(isRole), { error: `must be a comma list of ${ROLES.join(', ')}` })
  .transform((names) => ROLES.filter((role) => names.includes(role)));

/** In the order of `ROLES`. */
function readRoles(variables: VariableReader): readonly Role[] {
  return variables.withDefault('LOYALTYD_ROLES', rolesSchema, DEFAULT_ROLES);
}

function readKeys(variables: VariableReader, isRequired: boolean): Pick<Environment, 'encryptionKeys' | 'vault'> {
  const encryptionKeys = readEncryptionKeys(variables, isRequired);
  return { encryptionKeys, vault: readVault(variables, encryptionKeys) };
}

function readProcess(variables: VariableReader): ProcessEnvironment {
  return {
    logLevel: variables.withDefault('LOG_LEVEL', choiceSchema(LOG_LEVELS), 'info'),
    shutdownGraceMs: variables.withDefault('SHUTDOWN_GRACE_MS', integerSchema(0, 600_000), 25_000),
    httpsProxy: readProxy(variables),
    // The lower-case name wins, as in curl.
    noProxy: variables.text('no_proxy') ?? variables.text('NO_PROXY'),
  };
}

function readProxy(variables: VariableReader): Secret | null {
  const secret = variables.secret('HTTPS_PROXY');
  if (secret === null || ['http:', 'https:'].includes(URL.parse(secret.value)?.protocol ?? '')) return secret;
  return variables.fail('HTTPS_PROXY', 'must be an http or https address');
}

export interface EnvironmentOptions {
  /** The roles of this process; by default `LOYALTYD_ROLES` decides. */
  readonly roles?: readonly Role[];
  /** Reads the file a `NAME_FILE` variable names; may throw, which becomes that variable's error. */
  readonly readFile: (path: string) => string;
  /** `false` in `dev`, which prints a one-time token: the operations role then starts without tokens or OIDC. */
  readonly requireOperators?: boolean;
}

/** One message per variable, `NAME: rule`; never a secret's value. */
type EnvironmentResult =
  { readonly ok: true; readonly value: Environment } | { readonly ok: false; readonly errors: readonly string[] };

/**
 * Validates every variable of contracts.md section 3: whatever is set must be right, and what the roles of this
 * process use must be set (Kafka by ingest, and by delivery for what it publishes; the partner by delivery; the database and the encryption key by every
 * role; tokens or OIDC by operations). Never throws.
 */
export function readEnvironment(env: Variables, options: EnvironmentOptions): EnvironmentResult {
  const { value, errors } = readEnvironmentParts(env, options);
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value };
}

/** What could be read, and what is wrong with it, one message per variable. */
export interface EnvironmentParts {
  readonly value: Environment;
  readonly errors: readonly string[];
  /** The paths of the files that were read, by the variable that names each. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * The same, for who must look at what is there although something is wrong. A part may only be used where no error is
 * about its variables: a mistyped `KAFKA_SSL` reads as off.
 */
export function readEnvironmentParts(env: Variables, options: EnvironmentOptions): EnvironmentParts {
  const variables = new VariableReader(env, options.readFile);
  const roles = options.roles ?? readRoles(variables);
  const needsOperators = roles.includes('operations') && options.requireOperators !== false;
  const kafka = readKafka(variables, { roles });
  const database = readDatabase(variables, roles.length > 0);
  const allowed = readAllowedCleartext(variables);
  const parts = {
    roles,
    kafka,
    database,
    schemaRegistry: readSchemaRegistry(variables),
    wallet: readWallet(variables, roles.includes('delivery'), allowed),
    programsFile: variables.withDefault('LOYALTYD_PROGRAMS', textSchema, 'loyaltyd.yaml'),
    sourcesFile: variables.text('SOURCES_FILE'),
    dialectFile: variables.text('WALLET_DIALECT'),
    ...readKeys(variables, roles.length > 0),
    operations: readOperations(variables, needsOperators),
    retention: readRetention(variables),
    notices: readNotices(variables, allowed),
    process: readProcess(variables),
    tracing: readTracing(variables),
  };
  if (roles.includes('door') && parts.operations.readOnly) {
    variables.fail('OPS_READ_ONLY', 'goes without the role door, which writes');
  }
  const guessable = judgeGuessable(variables, allowed, parts);
  const value: Environment = { ...parts, guessable, cleartext: judgeCleartext(variables, allowed, parts) };
  return { value, errors: variables.errors, files: variables.files };
}
