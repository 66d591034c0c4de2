import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

import { waitUntil } from '#embedded';
import type { Chance } from '#shop';
import { queryOnce } from '#test-support';

import { apiTokens, tokenOf, type Role } from '../../e2e/api-client.js';
import { openHarness, type Harness } from '../../e2e/harness.js';
import { badRecords, enrolledWithAll } from '../../e2e/planted/planted-partner.js';
import { cardAddresses, findPlanted, memberId, personal } from '../../e2e/planted/planted-values.js';
import { produce, purchased } from '../../e2e/traffic.js';
import { jsonOf, mustHold, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson } from '../mutate.js';

const roles = ['viewer', 'operator', 'admin'] as const satisfies readonly Role[];
type Asker = Role | 'stranger';
const askers: readonly Asker[] = ['stranger', ...roles];

/** The daemon is on this machine, beside others that use it. */
const answerMsMax = 30_000;
const answerBytesMax = 32 * 1024 * 1024;
const namesMax = 400;
const membersCount = 12;
const badMin = 5;
const readyMsMax = 120_000;

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Json;
}

/** A request as the OpenAPI document describes it. */
interface Operation {
  readonly method: string;
  readonly path: string;
  /** The least role that may ask; null: anybody. */
  readonly role: Role | null;
  readonly parameters: readonly Parameter[];
  readonly body: Json | null;
}

interface Described {
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Json } } };
}

function roleIn({ description = '', security }: Described): Role | null {
  if (security?.length === 0) return null;
  return roles.find((role) => description.includes(`Needs the role ${role}.`)) ?? 'viewer';
}

/** Every operation that the daemon says it has. */
function operationsOf(document: Json): Operation[] {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      role: roleIn(described),
      parameters: described.parameters ?? [],
      body: described.requestBody?.content['application/json'].schema ?? null,
    })),
  );
}

const oddTexts: readonly string[] = [
  ...[
    '0',
    '-1',
    '1',
    '2',
    '3',
    '9999999999999999',
    '1e3',
    'NaN',
    '',
    ' ',
    '%00',
    '%2e%2e',
    '..',
    '%',
    '%ff',
    '%E2%82',
    '~',
    '*',
  ],
  ...[
    "'",
    '"',
    '\\',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '•••',
    'null',
    'undefined',
    'a'.repeat(600),
    'a'.repeat(5_000),
    '[]',
    '{}',
  ],
  ...[
    '2026-11-21T10:15:04Z',
    '2026-13-45T99:99:99Z',
    '0000-00-00',
    '+275760-09-13T00:00:00.001Z',
    'coffee-club',
    'constructor',
  ],
];

type Names = readonly string[];

function textBy(
  {
    enum: options,
    format,
    minLength = 0,
  }: { readonly enum?: readonly unknown[]; readonly format?: string; readonly minLength?: number },
  chance: Chance,
  names: Names,
): unknown {
  if (options !== undefined && chance.happens(0.9)) return chance.pick(options);
  if (format === 'date-time') return chance.happens(0.8) ? '2026-11-21T10:15:04Z' : chance.pick(oddTexts);
  if (chance.happens(0.5)) return chance.pick(names);
  return chance.happens(0.5) ? 'because of a test'.padEnd(minLength, '.') : chance.pick(oddTexts);
}

const depthMax = 6;

function numberBy(
  { minimum = 0, maximum = 1_000 }: { readonly minimum?: number; readonly maximum?: number },
  chance: Chance,
): number {
  return chance.happens(0.8)
    ? minimum + chance.below(Math.min(1_000, maximum - minimum + 1))
    : chance.pick([0, -1, 0.5, 2 ** 31, 2 ** 53, 1e300]);
}

function objectBy(
  schema: Json,
  chance: Chance,
  { names, depth }: { readonly names: Names; readonly depth: number },
): Json {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const required = (schema['required'] ?? []) as readonly string[];
  const taken = properties.filter(([name]) => required.includes(name) || chance.happens(0.4));
  const more = schema['additionalProperties'];
  const free = typeof more === 'object' && more !== null ? [[chance.pick(names), more as Json] as const] : [];
  return Object.fromEntries(
    [...taken, ...free].map(([name, inner]) => [name, valueBy(inner, chance, { names, depth: depth + 1 })]),
  );
}

/** A value that a JSON Schema describes, more or less. */
function valueBy(
  schema: Json,
  chance: Chance,
  { names, depth }: { readonly names: Names; readonly depth: number },
): unknown {
  const variants = (schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']) as readonly Json[] | undefined;
  if (depth > depthMax) return null;
  if (variants !== undefined) return valueBy(chance.pick(variants), chance, { names, depth: depth + 1 });
  if ('const' in schema) return schema['const'];
  switch (schema['type']) {
    case 'object':
      return objectBy(schema, chance, { names, depth });
    case 'array':
      return Array.from({ length: chance.below(4) }, () =>
        valueBy((schema['items'] ?? {}) as Json, chance, { names, depth: depth + 1 }),
      );
    case 'integer':
    case 'number':
      return numberBy(schema, chance);
    case 'boolean':
      return chance.happens(0.5);
    case 'null':
      return null;
    default:
      return textBy(schema, chance, names);
  }
}

/** A request as it is sent, to be kept and repeated. */
interface Asked {
  readonly asker: Asker;
  /** `GET /intents`, as the document names it; null: nothing of the document's. */
  readonly operation: string | null;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface Answered {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function headersOf({ asker, headers, body }: Asked): Record<string, string> {
  return {
    ...(asker === 'stranger' ? {} : { authorization: `Bearer ${tokenOf(asker)}` }),
    ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
}

function send(base: string, asked: Asked): Promise<Answered> {
  const { port, hostname } = new URL(base);
  return new Promise((resolve, reject) => {
    const { method, path, body } = asked;
    const sent = request({
      agent,
      host: hostname,
      port,
      method,
      path,
      headers: headersOf(asked),
      timeout: answerMsMax,
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${answerMsMax} ms`)));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever sends too much is cut off, perhaps before the refusal was read.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 0, contentType: '', body: '' });
      else reject(error);
    });
    sent.on('response', (response) => {
      const head = { status: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '' };
      // A stream never ends by itself.
      if (head.contentType.startsWith('text/event-stream')) {
        response.destroy();
        resolve({ ...head, body: '' });
        return;
      }
      text(response).then((read) => resolve({ ...head, body: read }), reject);
    });
    sent.end(body);
  });
}

/** As it may stand in a request line; what is more than that no client lets through. */
function sendable(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, (character) =>
    encodeURIComponent(character.isWellFormed() ? character : '\ufffd'),
  );
}

function pathOf({ path, parameters }: Operation, chance: Chance, names: Names): string {
  const part = (): string => {
    const name = chance.happens(0.75) ? chance.pick(names) : chance.pick(oddTexts);
    return chance.happens(0.8) ? encodeURIComponent(name.isWellFormed() ? name : 'x') : name;
  };
  const filled = path.replace(/\{\w+\}/g, part);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && chance.happens(0.35))
    .map(({ name, schema }) => {
      const value = chance.happens(0.8) ? valueBy(schema, chance, { names, depth: 0 }) : chance.pick(oddTexts);
      const said = typeof value === 'string' ? value : JSON.stringify(value);
      const isRaw = chance.happens(0.1) || !said.isWellFormed();
      return `${name}${chance.happens(0.03) ? '[]' : ''}=${isRaw ? said : encodeURIComponent(said)}`;
    });
  return sendable(`/api/v1${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`);
}

function bodyOf({ body }: Operation, chance: Chance, names: Names): string | null {
  if (body === null) return chance.happens(0.05) ? '{}' : null;
  const value = valueBy(body, chance, { names, depth: 0 });
  const words = Object.keys(body['properties'] ?? {});
  const sent = JSON.stringify(chance.happens(0.3) ? mutateJson(value, chance, words) : value);
  return chance.happens(0.05) ? mutateBytes(Buffer.from(sent), chance).toString() : sent;
}

const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  ...['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', ''].map((type) => ({
    'content-type': type,
  })),
  ...['Bearer', 'Basic YTpi', 'Bearer x', 'Bearer eyJhbGciOiJub25lIn0.e30.'].map((authorization) => ({
    authorization,
  })),
  ...['text/html', '*/*;q=0'].map((accept) => ({ accept })),
  { 'accept-encoding': 'gzip' },
  { 'last-event-id': '99999999999999999999' },
  { 'x-forwarded-for': '203.0.113.9' },
];

/** Names that answers have told: ids, cursors, programs. They make requests go deeper. */
class KnownNames {
  private readonly names: string[] = ['coffee-club', '1', '2', memberId('ok')];

  get all(): Names {
    return this.names;
  }

  learn(body: string): void {
    const json = jsonOf(body);
    if (json === undefined || this.names.length >= namesMax) return;
    JSON.stringify(json, (key, value: unknown) => {
      const isName = /^(?:id|memberId|stepId|nextCursor|intentId|group|fingerprint|name|code|reason|process)$/.test(
        key,
      );
      if (isName && (typeof value === 'string' || typeof value === 'number')) this.add(String(value));
      return value;
    });
  }

  private add(name: string): void {
    const isOurs = findPlanted([{ where: name, text: name }], personal).length === 0;
    if (isOurs && name.length < 300 && this.names.length < namesMax && !this.names.includes(name)) {
      this.names.push(name);
    }
  }
}

/** Waits until what was produced stands in the tables: delivered, parked and set aside. */
async function populate(harness: Harness): Promise<void> {
  const members = Array.from({ length: membersCount }, (_, index) => `fuzz-${index}`);
  const emissions = [
    ...['ok', ...members].map((name) => enrolledWithAll(name)),
    ...members.map((name) => purchased(memberId(name), `P-${name}`)),
    ...badRecords(),
  ];
  await produce(harness.broker, harness.topics, emissions);
  const look = async (): Promise<true | undefined> => {
    const [row] = await queryOnce<{ aside: number; intents: number }>(
      harness.database.url,
      'SELECT (SELECT count(*) FROM quarantine)::int AS aside, (SELECT count(*) FROM intent)::int AS intents',
    );
    return (row !== undefined && row.aside >= badMin && row.intents >= 2 * membersCount) || undefined;
  };
  await waitUntil(look, { what: 'records in the tables', timeoutMs: readyMsMax, intervalMs: 200 });
}

/** What nobody but an admin is shown: the addresses of a card are given by one request alone. */
const hiddenIn = (operation: Operation | undefined): Readonly<Record<string, string>> =>
  operation?.path.endsWith('/card-links') === true ? personal : { ...personal, ...cardAddresses };

/** Nothing planted comes out to whom it is not shown, and what is refused says so as documented. */
function judgeAnswer(asked: Asked, { status, contentType, body }: Answered, operation: Operation | undefined): void {
  const shown = { ...asked, status, body: body.slice(0, 500) };
  mustHold(status !== 500, 'a defect of ours', shown);
  if (status >= 400) {
    const problem = jsonOf(body) as { readonly type?: unknown; readonly status?: unknown } | undefined;
    mustHold(contentType.startsWith('application/problem+json'), 'a refusal that is no problem document', shown);
    mustHold(
      String(problem?.type).startsWith('urn:loyaltyd:problem:') && problem?.status === status,
      'a problem that does not say what it should',
      shown,
    );
  }
  if (asked.asker !== 'admin') {
    mustHold(
      findPlanted([{ where: asked.asker, text: body }], hiddenIn(operation)).length === 0,
      'something personal is shown',
      shown,
    );
  }
  if (operation === undefined || operation.role === null || status >= 300) return;
  mustHold(
    askers.indexOf(asked.asker) >= askers.indexOf(operation.role),
    'let in without the role that it takes',
    shown,
  );
}

interface ApiParts {
  readonly base: string;
  readonly operations: readonly Operation[];
  readonly names: KnownNames;
}

function makeAsked({ operations, names }: ApiParts, chance: Chance): Asked {
  const operation = chance.pick(operations);
  const isOther = chance.happens(0.03);
  return {
    asker: chance.weighted({ admin: 35, operator: 30, viewer: 25, stranger: 10 }),
    operation: isOther ? null : `${operation.method} ${operation.path}`,
    method: isOther ? chance.pick(['GET', 'PUT', 'PATCH', 'OPTIONS', 'DELETE', 'POST']) : operation.method,
    path: isOther && chance.happens(0.5) ? sendable(`/${chance.pick(oddTexts)}`) : pathOf(operation, chance, names.all),
    headers: chance.happens(0.06) ? chance.pick(oddHeaders) : {},
    body: bodyOf(operation, chance, names.all),
  };
}

/** What may be asked, repeated or cut down; null where it is no request any more. */
function askedOf(input: Buffer): Asked | null {
  const read = jsonOf(input) as Partial<Asked> | undefined;
  const { asker, method, path, headers } = read ?? {};
  const isWhole =
    askers.includes(asker!) && typeof method === 'string' && typeof path === 'string' && path.startsWith('/');
  return isWhole && typeof headers === 'object' ? (read as Asked) : null;
}

function apiTarget(parts: ApiParts): Pick<FuzzTarget, 'make' | 'judge' | 'samples' | 'name'> {
  const byName = new Map(parts.operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  const judge = async (input: Buffer): Promise<string> => {
    const asked = askedOf(input);
    if (asked === null) return 'no request';
    const operation = asked.operation === null ? undefined : byName.get(asked.operation);
    const answer = await send(parts.base, asked);
    mustHold(answer.body.length <= answerBytesMax, 'an answer without a bound', answer.body.length);
    judgeAnswer(asked, answer, operation);
    parts.names.learn(answer.body);
    const problem = jsonOf(answer.body) as { readonly type?: unknown } | undefined;
    const what = answer.status < 400 ? 'answered' : String(problem?.type);
    return `${asked.operation ?? 'other'} ${asked.asker} ${what}`;
  };
  const sample = (asker: Asker): Buffer[] =>
    parts.operations.map(({ method, path, body }) => {
      const asked: Asked = {
        asker,
        operation: `${method} ${path}`,
        method,
        path: `/api/v1${path}`,
        headers: {},
        body: body === null ? null : '{}',
      };
      return Buffer.from(JSON.stringify({ ...asked, path: asked.path.replace(/\{\w+\}/g, '1') }));
    });
  const make: FuzzTarget['make'] = (chance) => Buffer.from(JSON.stringify(makeAsked(parts, chance)));
  return { name: 'operations-api', samples: askers.flatMap(sample), make, judge };
}

/**
 * The operations API of a running daemon, by its own OpenAPI document, as everybody who may ask; with members, parked
 * intents and quarantine in the tables. On this machine's loopback only.
 */
export async function operationsApiTarget(): Promise<FuzzTarget> {
  const harness = await openHarness();
  try {
    const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens, LOG_LEVEL: 'error' });
    await populate(harness);
    const base = String(daemon.ready['operations']);
    const document = (await (await fetch(`${base}/api/openapi.json`)).json()) as Json;
    const target = apiTarget({ base, operations: operationsOf(document), names: new KnownNames() });
    const close = async (): Promise<void> => {
      agent.destroy();
      await harness.close();
    };
    return { ...target, close };
  } catch (error) {
    await harness.close();
    throw error;
  }
}
