import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

import type { IssuedCertificate } from '../network/test-authority.js';

/** What is registered under a subject, as the registry itself would tell it. */
export interface StandInSchema {
  readonly id: number;
  readonly guid: string;
  readonly subject: string;
  readonly version: number;
  readonly answer: object;
}

/** What a registry answers that cannot work now; `silent`: nothing at all. */
type Mood =
  'well' | 'no-guids' | 'unavailable' | 'forbidden' | 'silent' | 'garbage' | 'endless' | 'no-registry' | 'elsewhere';

interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const notFound = (code: number, message: string): Answer => ({ status: 404, body: { error_code: code, message } });
const noPath = notFound(404, 'HTTP 404 Not Found');
const endlessBytes = 20_000_000;
const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
const told = ({ answer, ...place }: StandInSchema): Answer => ({ status: 200, body: { ...place, ...answer } });

const given = (found: StandInSchema | undefined, missing: Answer): Answer =>
  found === undefined ? missing : { status: 200, body: found.answer };

/**
 * A schema registry on this machine, by Confluent's documented REST API, with its error codes. For those who read:
 * `GET /schemas/ids/{id}`, `GET /schemas/guids/{guid}`, `GET /subjects/{subject}/versions/{version}` and `GET /schemas/types`; a
 * token endpoint, `POST /token`. For those who write: `POST /subjects/{subject}/versions`, and `POST /subjects/{subject}` to find one again.
 */
export class StandInRegistry {
  mood: Mood = 'well';
  readonly asked: Question[] = [];
  readonly schemas: StandInSchema[] = [];
  /** What the header `authorization` must be; null: anything. */
  authorization: string | null = null;
  /** What `POST /token` answers; null: 401. */
  token: object | null = null;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly scheme: string,
  ) {
    server.on('request', (request, response) => void this.serve(request, response));
  }

  /** Listening. The caller must `stop` it. @param clientCa only clients with a certificate of this authority are served */
  static async start(
    tls: (IssuedCertificate & { readonly clientCa?: string }) | null = null,
  ): Promise<StandInRegistry> {
    const server =
      tls === null
        ? createServer()
        : createTlsServer({
            ...tls,
            ...(tls.clientCa && { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true }),
          });
    const registry = new StandInRegistry(server, tls === null ? 'http' : 'https');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return registry;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Paths that it was asked for, in their order. */
  get paths(): string[] {
    return this.asked.map(({ path }) => path);
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const body = await text(request).catch(() => '');
    this.asked.push({ method, path, headers, body });
    this.server.emit('asked');
    if (this.mood === 'silent') return;
    if (this.mood === 'garbage') response.end('<html>Log in</html>');
    else if (this.mood === 'endless') response.end(Buffer.alloc(endlessBytes, '['));
    else if (this.mood === 'elsewhere') response.writeHead(307, { location: `${this.url}/elsewhere` }).end();
    // As Apicurio does.
    else if (this.mood === 'no-guids' && path.startsWith('/schemas/guids/')) response.writeHead(404).end();
    else if (this.mood === 'no-registry') response.writeHead(404).end('<html>Not Found</html>');
    else {
      const answer = this.answer({ method, path, headers, body });
      response
        .writeHead(answer.status, { 'content-type': 'application/vnd.schemaregistry.v1+json' })
        .end(JSON.stringify(answer.body));
    }
  }

  /** Once it was asked so often. */
  async untilAsked(count: number): Promise<void> {
    while (this.asked.length < count) await once(this.server, 'asked');
  }

  private answer({ method, path, headers: { authorization }, body }: Question): Answer {
    if (this.mood === 'unavailable') return { status: 503, body: { error_code: 50_301, message: 'not the leader' } };
    if (this.mood === 'forbidden') return { status: 403, body: { error_code: 40_301, message: 'forbidden' } };
    if (method === 'POST' && path === '/token') {
      return this.token === null
        ? { status: 401, body: { error: 'invalid_client' } }
        : { status: 200, body: this.token };
    }
    if (this.authorization !== null && authorization !== this.authorization) {
      return { status: 401, body: { error_code: 401, message: 'Unauthorized' } };
    }
    const parts = new URL(path, this.url).pathname.slice(1).split('/').map(decodeURIComponent);
    return method === 'POST' ? this.write(parts, JSON.parse(body) as object) : this.lookUp(parts);
  }

  /** What is registered already is found again, in every subject under the same id. */
  private write([what, subject = '', versions]: readonly string[], body: object): Answer {
    if (what !== 'subjects') return noPath;
    const answer = Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value)));
    const isSame = (each: StandInSchema): boolean => isDeepStrictEqual(each.answer, answer);
    const known = this.schemas.find((each) => each.subject === subject && isSame(each));
    if (known !== undefined) return told(known);
    if (versions !== 'versions') return notFound(40_403, 'Schema not found');
    const { id, guid } = this.schemas.find(isSame) ?? { id: this.schemas.length + 1, guid: randomUUID() };
    const version = this.schemas.filter((each) => each.subject === subject).length + 1;
    const made = { id, guid, subject, version, answer };
    this.schemas.push(made);
    return told(made);
  }

  private lookUp([what, by = '', of = '', version = '']: readonly string[]): Answer {
    if (what === 'schemas') return this.schemaBy(by, of);
    return what === 'subjects' && of === 'versions' ? this.versionOf(by, version) : noPath;
  }

  private schemaBy(by: string, value: string): Answer {
    switch (by) {
      case 'types':
        return { status: 200, body: ['JSON', 'PROTOBUF', 'AVRO'] };
      case 'ids':
        return given(
          this.schemas.find(({ id }) => String(id) === value),
          notFound(40_403, `Schema ${value} not found`),
        );
      case 'guids':
        return given(
          this.schemas.find(({ guid }) => guid === value),
          notFound(40_403, 'Schema not found'),
        );
      default:
        return noPath;
    }
  }

  private versionOf(subject: string, version: string): Answer {
    const own = this.schemas.filter((each) => each.subject === subject);
    if (own.length === 0) return notFound(40_401, `Subject '${subject}' not found.`);
    const found = version === 'latest' ? own.at(-1) : own.find((each) => String(each.version) === version);
    return given(found, notFound(40_402, `Version ${version} not found`));
  }
}
