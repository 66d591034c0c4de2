import { readJsonText } from '#contracts/json';
import type { Clock } from '#platform';
import {
  referenceDepthMax,
  registryAttemptsMax,
  registryBackoffMs,
  registryRestMs,
  schemaBytesMax,
  schemaReferencesMax,
} from '../limits.js';
import type { SchemaRef } from '../schema-frame.js';
import { UnavailableError } from '../source-format.js';
import { exchange } from './exchange.js';
import type { RegistrySettings } from './registry-settings.js';
import { RegistryToken } from './registry-token.js';

/** A schema as it was registered. */
export interface RegisteredSchema {
  readonly type: string;
  readonly text: string;
  /** What it refers to, each after what that refers to itself; by the name that it is referred to by. */
  readonly references: readonly { readonly name: string; readonly text: string }[];
}

/** The registry knows no such schema. */
export class MissingSchemaError extends Error {
  override readonly name = 'MissingSchemaError';
}

/** What the registry has cannot be used, and never can: too large, too many references. */
export class UnusableSchemaError extends Error {
  override readonly name = 'UnusableSchemaError';
}

interface Reference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/** What a schema refers to, as far as it is known. */
interface Found {
  /** Each after what it refers to itself. */
  readonly texts: Map<string, string>;
  /** Asked for already: those that refer to each other are asked for once. */
  readonly names: Set<string>;
  bytes: number;
}

interface Answer {
  readonly type: string;
  readonly text: string;
  readonly references: readonly Reference[];
}

/** What a schema of the largest size may take in JSON: each character escaped. */
const answerBytesMax = 6 * schemaBytesMax + 64 * 1024;
/** Of Confluent's API: subject, version, schema not found. Any other 404 comes from something that is no registry. */
const notFoundCodes: ReadonlySet<unknown> = new Set([40_401, 40_402, 40_403]);
const notFound = 404;
const unauthorized = 401;

type RegistryClock = Pick<Clock, 'after' | 'monotonic' | 'sleep'>;

/** A schema registry, by the REST API that Confluent, Karapace, Redpanda and Apicurio share. Whoever asks keeps the answers. */
export class SchemaRegistry {
  private readonly token: RegistryToken;
  /** Until then nobody asks again, and why not. */
  private rest: { readonly untilMs: number; readonly why: string } | null = null;

  /** @param settings asked before each request: secrets and certificates are renewed while the process runs */
  constructor(
    readonly settings: () => RegistrySettings,
    readonly clock: RegistryClock,
  ) {
    this.token = new RegistryToken(clock);
  }

  /**
   * @param subject where the registry has several contexts: one of the schema's own
   * @throws UnavailableError | MissingSchemaError | UnusableSchemaError
   */
  async schema(ref: SchemaRef, subject: string | null): Promise<RegisteredSchema> {
    const query = subject === null ? '' : `?subject=${encodeURIComponent(subject)}`;
    const path = ref.kind === 'id' ? `schemas/ids/${ref.id}` : `schemas/guids/${ref.guid}`;
    return this.withReferences(await this.ask(`${path}${query}`, ref.kind === 'guid'));
  }

  /** The newest schema of a subject. @throws UnavailableError | MissingSchemaError | UnusableSchemaError */
  async newest(subject: string): Promise<RegisteredSchema> {
    return this.withReferences(await this.ask(`subjects/${encodeURIComponent(subject)}/versions/latest`, false));
  }

  private async withReferences({ type, text, references }: Answer): Promise<RegisteredSchema> {
    const found: Found = { texts: new Map(), names: new Set(), bytes: Buffer.byteLength(text) };
    await this.resolve(references, found, 1);
    return { type, text, references: [...found.texts].map(([name, each]) => ({ name, text: each })) };
  }

  private async resolve(references: readonly Reference[], found: Found, depth: number): Promise<void> {
    if (depth > referenceDepthMax) throw new UnusableSchemaError(`refers deeper than ${referenceDepthMax}`);
    for (const { name, subject, version } of references) {
      if (found.names.has(name)) continue;
      found.names.add(name);
      const isTooMuch = found.names.size > schemaReferencesMax;
      if (isTooMuch) throw new UnusableSchemaError(`more than ${schemaReferencesMax} references`);
      const answer = await this.ask(`subjects/${encodeURIComponent(subject)}/versions/${version}`, false);
      found.bytes += Buffer.byteLength(answer.text);
      if (found.bytes > schemaBytesMax) throw new UnusableSchemaError(`larger than ${schemaBytesMax} bytes`);
      await this.resolve(answer.references, found, depth + 1);
      found.texts.set(name, answer.text);
    }
  }

  private async ask(path: string, mayLackPath: boolean): Promise<Answer> {
    if (this.rest !== null && this.clock.monotonic() < this.rest.untilMs) throw new UnavailableError(this.rest.why);
    let waitMs = registryBackoffMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.askOnce(path, mayLackPath);
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
        if (attempt >= registryAttemptsMax) throw this.away(error.message);
      }
      await this.clock.sleep(waitMs);
      waitMs *= 2;
    }
  }

  private away(why: string): UnavailableError {
    const message = `the schema registry cannot be used at present: ${why}`;
    this.rest = { untilMs: this.clock.monotonic() + registryRestMs, why: message };
    return new UnavailableError(message);
  }

  /** Asks what every registry knows: whether it is one, and lets us in. @throws UnavailableError */
  async probe(): Promise<void> {
    const { status, body } = await this.get('schemas/types');
    if (status !== 200) throw new UnavailableError(`http-${status}`);
    if (!Array.isArray(body)) throw new UnavailableError('answer-unreadable');
  }

  private async askOnce(path: string, mayLackPath: boolean): Promise<Answer> {
    const { status, body } = await this.get(path);
    if (status === 200) return answerOf(body);
    const code = (body as { readonly error_code?: unknown } | null | undefined)?.error_code;
    if (status !== notFound) throw new UnavailableError(`http-${status}`);
    // One that knows no GUIDs has no such path, and each says so in its own way; something else in its place does, too.
    if (mayLackPath && !notFoundCodes.has(code)) await this.probe();
    else if (!notFoundCodes.has(code)) throw new UnavailableError(`http-${status}`);
    throw new MissingSchemaError('not in the registry');
  }

  private async get(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const settings = this.settings();
    const { headers: login, token } = await this.authorization(settings);
    const headers = { accept: 'application/vnd.schemaregistry.v1+json, application/json', ...login };
    const question = { url: `${settings.url}/${path}`, headers, bytesMax: answerBytesMax };
    const { status, bytes } = await exchange(this.clock, settings, question);
    if (status === unauthorized && token !== null) this.token.forget(token);
    return { status, body: readJsonText(bytes.toString('utf8')) };
  }

  /** What tells who we are, and the token in it. */
  private async authorization(
    settings: RegistrySettings,
  ): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly token: string | null }> {
    const { login } = settings;
    if (login.kind === 'none') return { headers: {}, token: null };
    if (login.kind === 'basic') return { headers: { authorization: basic(login) }, token: null };
    const token = await this.token.value(settings, login);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(login.logicalCluster !== null && { 'target-sr-cluster': login.logicalCluster }),
      ...(login.identityPoolId !== null && { 'confluent-identity-pool-id': login.identityPoolId }),
    };
    return { headers, token };
  }
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

function answerOf(body: unknown): Answer {
  const { schema, schemaType = 'AVRO', references = [] } = (body ?? {}) as Readonly<Record<string, unknown>>;
  // Something else in its place, as a page to log in.
  if (typeof schema !== 'string' || typeof schemaType !== 'string') throw new UnavailableError('answer-unreadable');
  if (Buffer.byteLength(schema) > schemaBytesMax) throw new UnusableSchemaError(`larger than ${schemaBytesMax} bytes`);
  return { type: schemaType, text: schema, references: Array.isArray(references) ? references.map(referenceOf) : [] };
}

function referenceOf(reference: unknown): Reference {
  const { name, subject, version } = (reference ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name === 'string' && typeof subject === 'string' && typeof version === 'number') {
    return { name, subject, version };
  }
  throw new UnavailableError('answer-unreadable');
}
