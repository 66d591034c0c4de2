import { connect, type Socket } from 'node:net';
import { AnswerReader, type RawAnswer } from './answer-reader.js';
import type { LoadTarget } from './load-job.js';

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
