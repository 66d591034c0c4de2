import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);

/** Finds where a head ends: with an empty line behind one that is not. Trailers of a chunked body end alike. */
class HeadScanner {
  private hasLine = false;
  private isLineEmpty = true;

  /** @returns how many of these bytes may be parsed without a second head among them */
  lengthIn(bytes: Buffer): number {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === lineFeed && this.endLine()) return at + 1;
      if (byte !== lineFeed && byte !== carriageReturn) this.isLineEmpty = false;
    }
    return bytes.length;
  }

  /** @returns whether the head ends with this line */
  private endLine(): boolean {
    const isEnd = this.isLineEmpty && this.hasLine;
    this.hasLine = !isEnd && (this.hasLine || !this.isLineEmpty);
    this.isLineEmpty = true;
    return isEnd;
  }
}

/** Wants to read a request. */
interface Waiting {
  /** When it was let read the last one; the first time: 0. */
  lastTurn: number;
  read(): void;
}

interface TurnLimits {
  readonly turnMs: number;
  readonly begunPerTurnMax: number;
}

/** The last, the first, the one before the last, the second, ... */
function fromBothEnds<T>(items: readonly T[]): T[] {
  const half = Math.floor(items.length / 2);
  const first = items.slice(0, half);
  const last = items.slice(half).toReversed();
  return last.flatMap((item, index) => [item, ...first.slice(index, index + 1)]);
}

/**
 * How many requests begin in a turn, from all connections: whatever is asked for, most of the time is left for what else the
 * process does. Where more are wanted the connections that have asked least recently come first; of several as old the last that
 * came and the first that came in turns: a probe's new one is soon served where a flood's came before it, and waits for a bounded
 * time where a flood opens new ones all the while.
 */
export class RequestTurns {
  private readonly waiting = new Set<Waiting>();
  private turn = 1;
  private begun = 0;
  private isTimed = false;
  private isPicking = false;

  constructor(private readonly limits: TurnLimits) {}

  /** False: it is called when it may. */
  take(one: Waiting): boolean {
    this.time();
    if (this.isFull || (this.waiting.size > 0 && !this.isPicking)) {
      this.waiting.add(one);
      return false;
    }
    this.begun += 1;
    one.lastTurn = this.turn;
    return true;
  }

  leave(one: Waiting): void {
    this.waiting.delete(one);
  }

  private get isFull(): boolean {
    return this.begun >= this.limits.begunPerTurnMax;
  }

  private time(): void {
    if (this.isTimed) return;
    this.isTimed = true;
    setTimeout(() => {
      this.next();
    }, this.limits.turnMs).unref();
  }

  private inOrder(): Waiting[] {
    const byTurn = Map.groupBy(this.waiting, ({ lastTurn }) => lastTurn);
    return [...byTurn].toSorted(([a], [b]) => a - b).flatMap(([, alike]) => fromBothEnds(alike));
  }

  private next(): void {
    this.isTimed = false;
    this.turn += 1;
    this.begun = 0;
    this.isPicking = true;
    for (const one of this.inOrder()) {
      if (this.isFull) break;
      this.waiting.delete(one);
      one.read();
    }
    this.isPicking = false;
    if (this.waiting.size > 0) this.time();
  }
}

/** @returns Node's own listener, which was the last to be added, and is called from here from now on */
function takeOver(socket: Socket, event: 'data' | 'end'): (bytes?: Buffer) => void {
  const listener = socket.listeners(event).at(-1) as (bytes?: Buffer) => void;
  socket.removeListener(event, listener);
  return listener;
}

/** The request that is being read or answered. */
interface UnderWay {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Still to come; null: it says so itself where it ends. */
  bodyBytes: number | null;
  isAnswered: boolean;
}

/**
 * Stands between a connection and Node's parser, which would hand on all requests of a packet at once: 64 KiB hold 1,400, and
 * each may ask for a large answer. The parser is given one head at a time, the next one when the answer before has been handed to
 * the kernel. What has come of further ones lies here as bytes, and the connection is not read on.
 */
export class RequestGate implements Waiting {
  lastTurn = 0;
  private readonly parse: (bytes?: Buffer) => void;
  private readonly end: () => void;
  private readonly heads = new HeadScanner();
  private held: Buffer = nothing;
  private isHolding = false;
  private hasEnded = false;
  private current: UnderWay | null = null;

  /** @param socket of a connection that Node's server has just begun to listen to */
  constructor(
    private readonly socket: Socket,
    private readonly turns: RequestTurns,
  ) {
    this.parse = takeOver(socket, 'data');
    this.end = takeOver(socket, 'end');
    socket.on('data', (bytes: Buffer) => {
      this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
      this.read();
    });
    socket.on('end', () => {
      this.hasEnded = true;
      this.read();
    });
    socket.once('close', () => {
      turns.leave(this);
      this.held = nothing;
    });
  }

  /** The answer under way; null: there is none. */
  get answer(): ServerResponse | null {
    return this.current?.response ?? null;
  }

  /** The parser has a head. False: it has read another one than we let through, and the connection is lost. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.current !== null) {
      this.socket.destroy();
      return false;
    }
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const current = {
      request,
      response,
      bodyBytes: coding === undefined ? Number(length ?? 0) : null,
      isAnswered: false,
    };
    this.current = current;
    response.once('close', () => {
      current.isAnswered = true;
      this.read();
    });
    return true;
  }

  read(): void {
    while (this.held.length > 0 && this.passNext());
    if (this.held.length > 0) {
      this.isHolding = true;
      this.socket.pause();
    } else if (this.isHolding) {
      this.isHolding = false;
      this.socket.resume();
    }
    if (this.hasEnded && this.held.length === 0 && this.mayEnd()) {
      this.hasEnded = false;
      this.end();
    }
  }

  /** Gives the parser what it may have. False: that is nothing now. */
  private passNext(): boolean {
    if (this.socket.destroyed || this.socket.writableEnded) {
      this.held = nothing;
      return false;
    }
    this.finish();
    if (this.current === null) {
      if (!this.turns.take(this)) return false;
      this.pass(this.heads.lengthIn(this.held));
      return true;
    }
    return this.passBody(this.current);
  }

  private passBody(current: UnderWay): boolean {
    const { bodyBytes, request } = current;
    if (bodyBytes === 0) return false;
    const length = bodyBytes === null ? this.heads.lengthIn(this.held) : Math.min(bodyBytes, this.held.length);
    if (bodyBytes !== null) current.bodyBytes = bodyBytes - length;
    this.pass(length);
    if (bodyBytes === null && request.complete) current.bodyBytes = 0;
    return true;
  }

  private pass(length: number): void {
    const bytes = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    this.parse(bytes);
  }

  private finish(): void {
    if (this.current?.isAnswered === true && this.current.bodyBytes === 0) this.current = null;
  }

  /** A client that has closed its side is still answered; a body that breaks off, or a stream whose viewer leaves, is over. */
  private mayEnd(): boolean {
    this.finish();
    if (this.current === null) return true;
    const { bodyBytes, response } = this.current;
    return bodyBytes !== 0 || (response.headersSent && !response.writableEnded);
  }
}
