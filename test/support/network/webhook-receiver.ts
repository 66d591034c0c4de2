import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it came. */
export interface ReceivedHook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Takes webhooks, and answers them as it is told. */
export class WebhookReceiver {
  readonly received: ReceivedHook[] = [];
  /** What is answered; `silent`: nothing. */
  answer: number | 'silent' = 204;
  /** Where a redirect leads to. */
  location = '/elsewhere';

  private constructor(private readonly server: Server) {}

  static async open(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        receiver.received.push({ headers: request.headers, body });
        const { answer, location } = receiver;
        if (answer !== 'silent') response.writeHead(answer, { location, connection: 'close' }).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Whether a request is signed as the Standard Webhooks specification says. @param secret `whsec_...` */
export function isSignedBy({ headers, body }: ReceivedHook, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
