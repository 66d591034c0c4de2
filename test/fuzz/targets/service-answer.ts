import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { MissingSchemaError, SchemaRegistry, UnavailableError, UnusableSchemaError } from '#events/formats';
import { ClientCredentials, KeyServiceAwayError, KeyServiceRefusedError, VaultTransit } from '#platform';
import type { Chance } from '#shop';

import { joinHead, jsonOf, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

const schemaBytesMax = 1024 * 1024;
const referencesMax = 200;
/** Each of some references is asked for, up to three times. */
const requestsMax = 3 * (referencesMax + 1);
const timeoutMs = 5_000;
const secret = 'hunter2-of-the-client';

/** Says one thing, byte by byte, whatever it is asked. */
class OneAnswer {
  private bytes: Buffer = Buffer.alloc(0);
  requests = 0;

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<OneAnswer> {
    const server = createServer();
    const one = new OneAnswer(server);
    server.on('connection', (socket) => one.answer(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return one;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  says(bytes: Buffer): void {
    this.bytes = bytes;
    this.requests = 0;
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(socket: Socket): void {
    // Who has heard enough leaves.
    socket.on('error', () => undefined);
    socket.once('data', () => {
      this.requests += 1;
      socket.end(this.bytes);
    });
  }
}

const kinds = ['wrap', 'unwrap', 'rewrap', 'kubernetes', 'schema', 'schema-login', 'token'] as const;
type Kind = (typeof kinds)[number];

const isKind = (kind: unknown): kind is Kind => kinds.includes(kind as Kind);

interface Head {
  readonly of: Kind;
  readonly status: number;
  /** Lines between status and body; null: the body is all that is sent. */
  readonly headers: string | null;
}

const reason = (error: Error): string => {
  mustHold(
    !error.message.includes(planted) && !error.message.includes(secret),
    'a reason quotes a value',
    error.message,
  );
  mustHold(error.message !== '', 'it is refused without a reason');
  return `${error.name} ${error.message}`;
};

function vaultAt(address: string, isKubernetes: boolean): VaultTransit {
  const login = isKubernetes
    ? ({ kind: 'kubernetes', mount: 'kubernetes', role: 'r', jwt: secret } as const)
    : ({ kind: 'token', token: secret } as const);
  const mounted = { namespace: null, mount: 'transit', keyName: 'loyaltyd', context: null };
  return new VaultTransit(() => ({ address, ...mounted, login, ca: null, timeoutMs }));
}

async function askVault(kind: Kind, url: string): Promise<string> {
  const vault = vaultAt(url, kind === 'kubernetes');
  try {
    if (kind === 'wrap' || kind === 'rewrap') {
      const wrapped = await (kind === 'wrap' ? vault.makeWrapped() : vault.rewrap('vault:v1:AAAA'));
      mustHold(/^vault:v\d+:[\w+/=-]+$/.test(wrapped), 'what was wrapped is no line of a list', wrapped);
      return 'wrapped';
    }
    const key = await vault.unwrap('vault:v1:AAAA');
    return `unwrapped ${key.byteLength === 32 ? 'a key' : 'something'}`;
  } catch (error) {
    if (error instanceof KeyServiceAwayError || error instanceof KeyServiceRefusedError) return reason(error);
    throw error;
  }
}

/** Nobody waits here. */
const clock = {
  monotonic: () => 0,
  sleep: () => Promise.resolve(),
  after: (ms: number, work: () => void) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

async function askRegistry(kind: Kind, url: string): Promise<string> {
  const oauth = {
    ...({ kind: 'oauth', scope: null, logicalCluster: null, identityPoolId: null } as const),
    ...{ tokenUrl: `${url}/token`, clientId: 'c', clientSecret: secret },
  };
  const login = kind === 'schema-login' ? oauth : ({ kind: 'basic', username: 'u', password: secret } as const);
  const registry = new SchemaRegistry(() => ({ url, login, ca: null, cert: null, key: null, timeoutMs }), clock);
  try {
    const { type, text, references } = await registry.schema({ kind: 'id', id: 1 }, null);
    const texts = [text, ...references.map((each) => each.text)];
    const bytes = texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
    mustHold(typeof type === 'string' && texts.every((each) => typeof each === 'string'), 'a schema is no text');
    mustHold(bytes <= schemaBytesMax && references.length <= referencesMax, 'a schema is beyond its bounds', bytes);
    return `schema ${references.length === 0 ? 'alone' : 'of several'}`;
  } catch (error) {
    const isKnown = [MissingSchemaError, UnavailableError, UnusableSchemaError].some((each) => error instanceof each);
    if (isKnown) return reason(error as Error);
    throw error;
  }
}

async function askForToken(url: string): Promise<string> {
  const settings = { url, clientId: 'c', clientSecret: secret, scope: null, audience: null, ca: null, timeoutMs };
  const answer = await new ClientCredentials(() => ({ ...settings, authenticateBy: 'basic' as const })).request();
  if (answer.kind === 'none') {
    mustHold(answer.reason !== '' && !answer.reason.includes(planted), 'a reason quotes a value', answer.reason);
    mustHold((answer.retryAfterMs ?? 0) <= 300_000, 'it rests for too long', answer.retryAfterMs);
    return `none ${answer.reason}`;
  }
  mustHold(/^[!-~]+$/.test(answer.value), 'a token that breaks its header', answer.value);
  const { lifetimeMs } = answer;
  mustHold(lifetimeMs > 0 && lifetimeMs <= 86_400_000, 'a life without an end, or none', lifetimeMs);
  return `token ${answer.shapeAlarms.length}`;
}

function ask(kind: Kind, url: string): Promise<string> {
  if (kind === 'token') return askForToken(url);
  return kind === 'schema' || kind === 'schema-login' ? askRegistry(kind, url) : askVault(kind, url);
}

/** What is repeated within itself doubles each time. */
const treeBytesMax = 16 * 1024;

const words: readonly string[] = [
  ...['data', 'plaintext', 'ciphertext', 'vault:v1:AAAA', 'auth', 'client_token', 'errors', 'schema', 'schemaType'],
  ...['references', 'name', 'subject', 'version', 'AVRO', 'PROTOBUF', 'error_code', '40403', '40401', 'access_token'],
  ...['expires_in', 'token_type', '-1', '1e308', '0.5', '../../..', '%2e%2e', '\r\n', '\r\nlocation: /', '?a=b', '#x'],
  ...['HTTP/1.1 100 C\r\n\r\n', 'HTTP/1.1 200 O\r\n\r\n', 'transfer-encoding: chunked\r\n', 'content-length: 9\r\n'],
];
const headerLines: readonly string[] = [
  '',
  'content-length: 5\r\n',
  'content-length: 99999999\r\n',
  'transfer-encoding: chunked\r\n',
  'content-encoding: gzip\r\n',
  'retry-after: 99999999999\r\n',
  'retry-after: Wed, 21 Oct 2099 07:28:00 GMT\r\n',
  'location: http://127.0.0.1:1/\r\n',
];
const statuses = [200, 200, 200, 200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 412, 429, 500, 503];

const reference = { name: 'money.proto', subject: 'money', version: 1 };
const answers: readonly (readonly [Kind, unknown, number?])[] = [
  ['unwrap', { data: { plaintext: Buffer.alloc(32, 7).toString('base64') } }],
  ['wrap', { data: { ciphertext: 'vault:v1:AAAA' } }],
  ['rewrap', { data: { ciphertext: 'vault:v2:BBBB' } }],
  ['kubernetes', { auth: { client_token: 's.x' }, data: { plaintext: 'AAAA' } }],
  ['schema', { schema: '"string"', schemaType: 'AVRO', id: 1 }],
  ['schema', { schema: 'message M {}', schemaType: 'PROTOBUF', references: [reference] }],
  ['schema', { error_code: 40_403, message: 'Schema not found' }, 404],
  ['schema-login', { access_token: 't', expires_in: 60, schema: '"string"' }],
  ['token', { access_token: 't', expires_in: 3_600, token_type: 'Bearer' }],
];

function rawOf({ status, headers }: Pick<Head, 'status' | 'headers'>, body: Buffer): Buffer {
  if (headers === null) return body;
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} x\r\nconnection: close\r\n${headers}\r\n`, 'latin1'), body]);
}

function changedHead(head: Head, chance: Chance): Head {
  const headers = chance.happens(0.2) ? chance.pick(headerLines) : head.headers;
  return {
    of: chance.happens(0.2) ? chance.pick(kinds) : head.of,
    status: chance.happens(0.2) ? chance.pick(statuses) : head.status,
    headers: chance.happens(0.9) ? headers : null,
  };
}

function make(chance: Chance, pool: readonly Buffer[]): Buffer {
  const parts = splitHead(chance.pick(pool));
  if (parts === null) return mutateBytes(chance.pick(pool), chance, words, pool);
  const json = parts.body.length > treeBytesMax ? undefined : jsonOf(parts.body);
  const isTree = json !== undefined && chance.happens(0.7);
  const body = isTree ? Buffer.from(JSON.stringify(mutateJson(json, chance, words))) : null;
  return joinHead(changedHead(parts.head as Head, chance), body ?? mutateBytes(parts.body, chance, words, pool));
}

/** What Vault, a schema registry or a token endpoint answers, or whoever stands in its place. */
export async function serviceAnswerTarget(): Promise<FuzzTarget> {
  const server = await OneAnswer.listen();
  const judge = async (input: Buffer): Promise<string> => {
    const parts = splitHead(input);
    const { of, status = 200, headers = '' } = (parts?.head ?? {}) as Partial<Head>;
    if (parts === null || !isKind(of) || (headers !== null && typeof headers !== 'string')) return 'no answer';
    server.says(rawOf({ status, headers }, parts.body));
    const said = await ask(of, server.url);
    mustHold(server.requests <= requestsMax, 'an answer leads to more and more questions', server.requests);
    return `${of} ${said}`;
  };
  const samples = answers.map(([of, body, status = 200]) =>
    joinHead({ of, status, headers: '' }, Buffer.from(JSON.stringify(body))),
  );
  return { name: 'service-answer', samples, make, judge, close: () => server.close() };
}
