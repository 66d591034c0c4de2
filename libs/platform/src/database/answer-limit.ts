import type { Socket } from 'node:net';
import type { QueryRunner } from 'typeorm';

import { SafeError } from '../errors.js';

/** What node-postgres keeps of a connection, without showing it in its types. */
interface ClientInside {
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: Socket };
}

/** A connection on which the server owed an answer for too long: it was broken, what became of its work is unknown. */
export class NoAnswerError extends SafeError {
  override readonly name = 'NoAnswerError';

  constructor(waitedMs: number) {
    super(
      `the database server has said nothing for ${Math.round(waitedMs / 1_000)} s on a connection that waited for it`,
    );
  }
}

const unhurried = new WeakSet<object>();

/**
 * Breaks a connection on which an answer is outstanding and nothing has come or gone for `limitMs`. The server limits its
 * statements by itself; this is for one that is gone. Keep-alive does not find that out where a statement was sent into
 * the void: the kernel repeats what was not acknowledged for a quarter of an hour (`tcp_retries2`) and asks nothing.
 */
export function limitAnswers(client: object, limitMs: number): void {
  const inside = client as ClientInside;
  const { stream } = inside.connection;
  stream.setTimeout(limitMs);
  stream.on('timeout', () => {
    const { bytesRead } = stream;
    // A process that stood still itself finds its answers only now.
    setImmediate(() => {
      const isOwed = !inside.readyForQuery && !unhurried.has(client);
      if (isOwed && stream.bytesRead === bytesRead) stream.destroy(new NoAnswerError(limitMs));
    });
  });
}

/** From now on this connection is waited for without end. */
export function liftLimit(client: object): void {
  unhurried.add(client);
}

/** @see liftLimit */
export function limitAgain(client: object): void {
  unhurried.delete(client);
}

/** For work that takes as long as it takes, such as a migration. */
export async function withoutLimit<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  const client = (await runner.connect()) as object;
  liftLimit(client);
  try {
    return await work();
  } finally {
    limitAgain(client);
  }
}
