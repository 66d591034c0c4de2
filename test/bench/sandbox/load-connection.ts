import type { Socket } from 'node:net';
import { connect } from 'node:net';

export interface LoadTarget {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

export interface RawAnswer {
  readonly status: number;
  /** Empty for a 200: only counted, for the load generator must be cheap. */
  readonly body: string;
}

const headEnd = '\r\n\r\n';
const lengthPattern = /\r\ncontent-length: (\d+)/i;
/** As in `HTTP/1.1 200 OK`. */
const statusAt = { from: 9, to: 12 };

/**
 * Reads answers of HTTP/1.1 as the sandbox sends them, a head with `content-length` and a body, one at a time: a client
 * of `node:http` costs as much processor as the server that it measures, on the same few cores.
 */
export class AnswerReader {
  private head = '';
  private status = 0;
  private body = '';
  private bytesLeft = -1;

  /** The answer that `chunk` completes; null while more must arrive. */
  push(chunk: Buffer): RawAnswer | null {
    if (this.bytesLeft >= 0) return this.take(chunk);
    this.head += chunk.toString('latin1');
    const end = this.head.indexOf(headEnd);
    if (end === -1) return null;
    const rest = this.head.length - end - headEnd.length;
    this.readHead(this.head.slice(0, end));
    this.head = '';
    return this.take(chunk.subarray(chunk.length - rest));
  }

  private readHead(head: string): void {
    const length = lengthPattern.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer without content-length:\n${head}`);
    this.status = Number(head.slice(statusAt.from, statusAt.to));
    this.bytesLeft = Number(length);
    this.body = '';
  }

  private take(bytes: Buffer): RawAnswer | null {
    if (bytes.length > this.bytesLeft) throw new Error('more bytes than one answer to one request');
    this.bytesLeft -= bytes.length;
    if (this.status !== 200) this.body += bytes.toString('latin1');
    if (this.bytesLeft > 0) return null;
    this.bytesLeft = -1;
    return { status: this.status, body: this.body };
  }
}

/** One kept-alive connection with one request at a time, as an HTTP client's pool without pipelining has. */
export class LoadConnection {
  private readonly reader = new AnswerReader();
  private waiting: PromiseWithResolvers<RawAnswer> | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('the sandbox closed a connection')));
  }

  static open({ host, port }: LoadTarget): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port }, () => {
        socket.off('error', reject);
        resolve(new LoadConnection(socket));
      });
      socket.once('error', reject);
    });
  }

  /** Sends a whole request; resolves with its answer. */
  exchange(request: string): Promise<RawAnswer> {
    this.waiting = Promise.withResolvers<RawAnswer>();
    this.socket.write(request, 'latin1');
    return this.waiting.promise;
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    try {
      const answer = this.reader.push(chunk);
      if (answer !== null) this.waiting?.resolve(answer);
    } catch (error) {
      this.fail(error);
      this.socket.destroy();
    }
  }

  private fail(error: unknown): void {
    this.waiting?.reject(error);
  }
}
