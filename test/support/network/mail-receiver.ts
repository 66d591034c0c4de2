import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A mail as a relay has it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Head and body. */
  readonly content: string;
}

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? '';

/** A relay that keeps what it takes (RFC 5321, as far as a client needs it). */
export class MailReceiver {
  readonly received: ReceivedMail[] = [];
  /** Who has logged in, by AUTH PLAIN. */
  readonly logins: string[] = [];
  /** What MAIL is answered. */
  answer = '250 go on';
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<MailReceiver> {
    const server = createServer();
    const receiver = new MailReceiver(server);
    server.on('connection', (socket) => {
      receiver.sockets.add(socket);
      socket.on('error', () => undefined);
      void receiver.serve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(socket: Socket): Promise<void> {
    const talk = new Conversation(this, (line) => socket.write(`${line}\r\n`));
    for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
      talk.hear(line);
      if (/^QUIT/i.test(line)) socket.end();
    }
  }
}

/** What one client says. */
class Conversation {
  private from = '';
  private to: string[] = [];
  /** Null: no content is expected. */
  private content: string[] | null = null;

  constructor(
    private readonly receiver: MailReceiver,
    private readonly say: (line: string) => void,
  ) {
    say('220 receiver');
  }

  hear(line: string): void {
    if (this.content !== null) this.keep(line, this.content);
    else this.say(this.answerTo(line));
  }

  private keep(line: string, content: string[]): void {
    if (line !== '.') {
      content.push(line.replace(/^\.\./, '.'));
      return;
    }
    this.receiver.received.push({ from: this.from, to: this.to, content: content.join('\n') });
    [this.to, this.content] = [[], null];
    this.say('250 taken');
  }

  private answerTo(line: string): string {
    const [word = ''] = line.toUpperCase().split(/[ :]/);
    switch (word) {
      case 'EHLO':
        return '250-receiver\r\n250 AUTH PLAIN';
      case 'AUTH':
        this.receiver.logins.push(
          Buffer.from(line.split(' ')[2] ?? '', 'base64')
            .toString()
            .split('\0')
            .slice(1)
            .join(':'),
        );
        return '235 welcome';
      case 'MAIL':
        this.from = addressIn(line);
        return this.receiver.answer;
      case 'RCPT':
        this.to.push(addressIn(line));
        return '250 go on';
      case 'DATA':
        this.content = [];
        return '354 go on';
      default:
        return word === 'QUIT' ? '221 bye' : '502 not known';
    }
  }
}
