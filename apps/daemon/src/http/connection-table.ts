import type { Socket } from 'node:net';

/**
 * From the first that is closed to the last:
 * `silent`: nothing has come of it yet, or what came was refused;
 * `idle`: a request of it was answered, and no other has come;
 * `served`: a request that needs no token is being answered;
 * `admitted`: a request with a valid token is being read or answered.
 */
type ConnectionState = 'silent' | 'idle' | 'served' | 'admitted';

/**
 * Which are given up for a new one, the oldest of a kind first. A probe has said what it wants, and has its answer, sooner than in
 * the time that is given here: beside 500 connections that never read an answer it must not be the one that goes.
 */
const expendable: readonly { readonly state: ConnectionState; readonly olderThanMs: number }[] = [
  { state: 'silent', olderThanMs: 100 },
  { state: 'idle', olderThanMs: 0 },
  { state: 'served', olderThanMs: 1_000 },
  { state: 'silent', olderThanMs: 0 },
  { state: 'served', olderThanMs: 0 },
];

interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly connectionsWithoutTokenMin: number;
}

/**
 * The connections of a server. A new one is always taken, because it may be a probe: when there are too many, the one that is
 * worth least goes. A client that opens connections and sends no request loses its own first.
 */
export class ConnectionTable {
  private readonly states = new Map<Socket, { readonly state: ConnectionState; readonly since: number }>();
  private readonly sockets: Readonly<Record<ConnectionState, Set<Socket>>> = {
    silent: new Set(),
    idle: new Set(),
    served: new Set(),
    admitted: new Set(),
  };

  /** @param monotonic milliseconds from any beginning */
  constructor(
    private readonly limits: ConnectionLimits,
    private readonly monotonic: () => number,
  ) {}

  opened(socket: Socket): void {
    if (this.states.size >= this.limits.connectionsMax) this.giveUpOne();
    this.states.set(socket, { state: 'silent', since: this.monotonic() });
    this.sockets.silent.add(socket);
    socket.once('close', () => {
      this.forget(socket);
    });
  }

  served(socket: Socket): void {
    this.move(socket, 'served');
  }

  /** False: there are so many that none would remain for others. */
  admitted(socket: Socket): boolean {
    const { connectionsMax, connectionsWithoutTokenMin } = this.limits;
    if (this.sockets.admitted.size >= connectionsMax - connectionsWithoutTokenMin) return false;
    this.move(socket, 'admitted');
    return true;
  }

  /** The answer has been sent. */
  answered(socket: Socket): void {
    const state = this.states.get(socket)?.state;
    if (state !== undefined && state !== 'silent') this.move(socket, 'idle');
  }

  /** Closes what no request is being answered on. */
  closeIdle(): void {
    for (const socket of [...this.sockets.silent, ...this.sockets.idle]) socket.destroy();
  }

  private giveUpOne(): void {
    const now = this.monotonic();
    for (const { state, olderThanMs } of expendable) {
      const [oldest] = this.sockets[state];
      if (oldest === undefined || now - (this.states.get(oldest)?.since ?? now) < olderThanMs) continue;
      this.forget(oldest);
      oldest.destroy();
      return;
    }
  }

  private forget(socket: Socket): void {
    const known = this.states.get(socket);
    if (known !== undefined) this.sockets[known.state].delete(socket);
    this.states.delete(socket);
  }

  /** To the end of its kind. One that was given up stays so. */
  private move(socket: Socket, to: ConnectionState): void {
    const from = this.states.get(socket);
    if (from === undefined) return;
    this.sockets[from.state].delete(socket);
    this.sockets[to].add(socket);
    this.states.set(socket, { state: to, since: this.monotonic() });
  }
}
