import { createHash } from 'node:crypto';
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

/** Each member has a pass of their own: what it is called follows from whom a call names. */
export function passOf({ path, body }: Pick<PartnerRequest, 'path' | 'body'>): {
  readonly passId: number;
  readonly serialNumber: string;
} {
  const [, named] = /unique_id=([^&]+)/.exec(path) ?? /"memberId":"([^"]+)"/.exec(body) ?? [];
  const digest = createHash('sha256')
    .update(decodeURIComponent(named ?? ''))
    .digest();
  const passId = digest.readUIntBE(0, 5);
  return { passId, serialNumber: `S-${passId}` };
}

/** The partner's good answer to anything that changes something. */
export function accepted(request: Pick<PartnerRequest, 'path' | 'body'>): PartnerAnswer {
  return { status: 200, body: JSON.stringify({ transactionId: 7, ...passOf(request), message: 'accepted' }) };
}

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
