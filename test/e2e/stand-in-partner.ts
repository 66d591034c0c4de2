import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as it arrived. */
export interface PartnerRequest {
  readonly method: string;
  /** Path and query below `/brands`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What to answer; null: nothing at all, the caller may wait. */
export interface PartnerAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

interface StandInOptions {
  /** The access token that it hands out. */
  readonly token: string;
  /** Answers to the first token requests, by the form that came with each. */
  readonly tokenRefusals?: readonly ((form: string) => PartnerAnswer)[];
  readonly answer: (request: PartnerRequest) => PartnerAnswer | null;
}

/** The partner's good answer to anything that changes something. */
const proofs = { transactionId: 7, passId: 7, serialNumber: 'S-7', message: 'accepted' };
export const accepted: PartnerAnswer = { status: 200, body: JSON.stringify(proofs) };

const json = { 'content-type': 'application/json' };

/** A partner that answers whatever a test wants: the sandbox keeps to its specification. */
export class StandInPartner {
  readonly requests: PartnerRequest[] = [];
  private tokenRequests = 0;

  private constructor(
    private readonly server: Server,
    private readonly options: StandInOptions,
  ) {}

  static async open(options: StandInOptions): Promise<StandInPartner> {
    const partner: StandInPartner = new StandInPartner(
      createServer((request, response) => {
        void partner.serve(request, response);
      }),
      options,
    );
    await new Promise<void>((resolve) => partner.server.listen(0, '127.0.0.1', resolve));
    return partner;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** `WALLET_*` for a daemon. */
  get environment(): Readonly<Record<string, string>> {
    return { WALLET_BASE_URL: `${this.url}/brands`, WALLET_AUTH_URL: this.url };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += String(chunk);
    const { url = '', method = '', headers } = incoming;
    if (url === '/oauth2/token') {
      write(response, this.grant(body));
      return;
    }
    const request = { method, path: url.replace(/^\/brands/, ''), headers, body };
    this.requests.push(request);
    const answer = this.options.answer(request);
    if (answer !== null) write(response, answer);
  }

  private grant(form: string): PartnerAnswer {
    const refuse = this.options.tokenRefusals?.[this.tokenRequests];
    this.tokenRequests += 1;
    const grant = { access_token: this.options.token, token_type: 'Bearer', expires_in: 3_600 };
    return refuse?.(form) ?? { status: 200, body: JSON.stringify(grant) };
  }
}

function write(response: ServerResponse, { status, headers, body }: PartnerAnswer): void {
  response.writeHead(status, { ...json, ...headers }).end(body);
}

/** A partner that says yes to everything with status 200, and proves only what it is told to prove. */
export class HollowPartner {
  /** What transactions are answered with. */
  transaction: unknown = {};
  /** Whose pass an enrolment is answered with. */
  issuedTo: (memberId: string) => string = (memberId) => memberId;
  /** Calls that change something, as `METHOD last-of-path`. */
  readonly writes: string[] = [];
  /** All calls but those for a token. */
  calls = 0;

  private constructor(
    private readonly server: Server,
    private readonly origin: string,
  ) {}

  static async start(): Promise<HollowPartner> {
    const server = createServer((request, response) => {
      void partner.answer(request).then((body) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const partner: HollowPartner = new HollowPartner(
      server,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    return partner;
  }

  get environment(): Record<string, string> {
    return { WALLET_BASE_URL: `${this.origin}/brands`, WALLET_AUTH_URL: this.origin };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
    const body = await textOf(request);
    if (pathname === '/oauth2/token') return { access_token: 't', expires_in: 3_600, token_type: 'Bearer' };
    this.calls += 1;
    const last = pathname.split('/').at(-1) ?? '';
    if (request.method === 'GET') {
      const passes = { data: [], pageNumber: 1, pageSize: 1, totalCount: 1 };
      return last === 'wallets' ? passOf(searchParams.get('unique_id') ?? '') : passes;
    }
    this.writes.push(`${request.method} ${last}`);
    if (last !== 'issue-wallet') return this.transaction;
    const { passdata } = JSON.parse(body) as {
      readonly passdata: { readonly metaData: { readonly memberId: string } };
    };
    return passOf(this.issuedTo(passdata.metaData.memberId));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

function passOf(memberId: string): object {
  return {
    passId: 7,
    serialNumber: `serial-of-${memberId}`,
    templateId: 11,
    passdata: { metaData: { memberId } },
    downloadUrl: `https://cards.example/${memberId}`,
  };
}
