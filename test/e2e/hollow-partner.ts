import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
