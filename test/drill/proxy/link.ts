import type { Socket } from 'node:net';

import type { Chance } from '#shop';
import { CommitWatch } from './commit-watch.js';

/** What a proxy does to everything that passes, both ways. */
export interface Weather {
  readonly latencyMs: number;
  /** Up to so much more, different for each piece; the order stays. */
  readonly jitterMs: number;
  /** Chance of each piece that it and all behind it wait, as TCP makes them wait after a lost segment. */
  readonly lossChance: number;
  readonly retransmitMs: number;
  /** Pieces of at most so many bytes, one a millisecond; null: as they come. */
  readonly sliceBytes: number | null;
  /** Connections stand, new ones too, and nothing comes through ever: what was swallowed is lost. */
  readonly isBlackHole: boolean;
  /** New connections are reset. */
  readonly isRefusing: boolean;
}

export const fairWeather: Weather = {
  latencyMs: 0,
  jitterMs: 0,
  lossChance: 0,
  retransmitMs: 0,
  sliceBytes: null,
  isBlackHole: false,
  isRefusing: false,
};

/** A piece on its way; without bytes: the end of what one side has to say. */
interface Parcel {
  readonly bytes: Buffer | null;
  readonly dueAt: number;
}

interface RelayOptions {
  readonly from: Socket;
  readonly to: Socket;
  readonly weather: () => Weather;
  readonly chance: Chance;
}

/** What a pump swallowed since it was told to hold everything back. */
interface Withheld {
  readonly head: string;
  readonly bytes: number;
  readonly isEnded: boolean;
}

const queuedBytesMax = 4 * 1024 * 1024;
const headBytesMax = 256;

/** Carries bytes one way, late or in slices if the weather wants it, in order always. */
class Relay {
  private readonly queue: Parcel[] = [];
  private queuedBytes = 0;
  private timer: NodeJS.Timeout | null = null;
  private lastDueAt = 0;
  private held: { head: string; bytes: number; isEnded: boolean } | null = null;

  constructor(private readonly options: RelayOptions) {}

  /** What is swallowed; null while bytes come through. */
  get withheld(): Withheld | null {
    return this.held;
  }

  /** From now on nothing comes through; there is no way back but a new connection. */
  hold(): void {
    this.held ??= { head: '', bytes: 0, isEnded: false };
  }

  /** @param bytes null: the end */
  take(bytes: Buffer | null): void {
    if (this.options.weather().isBlackHole) this.hold();
    if (this.held !== null) {
      this.swallow(this.held, bytes);
      return;
    }
    for (const piece of this.sliced(bytes)) this.enqueue(piece);
    this.flush();
  }

  /** Forgets what is on its way. */
  drop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.queue.length = 0;
  }

  private swallow(held: { head: string; bytes: number; isEnded: boolean }, bytes: Buffer | null): void {
    if (bytes === null) held.isEnded = true;
    else if (held.head.length < headBytesMax) held.head += bytes.toString('latin1', 0, headBytesMax);
    held.bytes += bytes?.length ?? 0;
  }

  private sliced(bytes: Buffer | null): (Buffer | null)[] {
    const size = this.options.weather().sliceBytes;
    if (bytes === null || size === null || bytes.length <= size) return [bytes];
    const count = Math.ceil(bytes.length / size);
    return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
  }

  private enqueue(bytes: Buffer | null): void {
    const dueAt = Math.max(this.lastDueAt, performance.now() + this.delayMs());
    this.lastDueAt = dueAt;
    this.queue.push({ bytes, dueAt });
    this.queuedBytes += bytes?.length ?? 0;
    if (this.queuedBytes > queuedBytesMax) this.options.from.pause();
  }

  private delayMs(): number {
    const { latencyMs, jitterMs, lossChance, retransmitMs, sliceBytes } = this.options.weather();
    const { chance } = this.options;
    const late = latencyMs + (jitterMs > 0 ? chance.below(jitterMs) : 0) + (sliceBytes === null ? 0 : 1);
    return lossChance > 0 && chance.happens(lossChance) ? late + retransmitMs : late;
  }

  private flush(): void {
    if (this.timer !== null) return;
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      const waitMs = first.dueAt - performance.now();
      if (waitMs > 0) {
        this.flushIn(waitMs);
        return;
      }
      this.queue.shift();
      this.pass(first.bytes);
    }
  }

  private flushIn(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush();
    }, ms);
  }

  private pass(bytes: Buffer | null): void {
    const { from, to } = this.options;
    if (bytes === null) {
      to.end();
      return;
    }
    this.queuedBytes -= bytes.length;
    const hasRoom = to.writable ? to.write(bytes) : true;
    if (!hasRoom) from.pause();
    if (hasRoom && this.queuedBytes <= queuedBytesMax && from.isPaused()) from.resume();
  }
}

export interface LinkOptions {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly weather: () => Weather;
  readonly chance: Chance;
  /** What is spoken: of HTTP the request lines are noted, of Postgres the commits are recognised. */
  readonly speaks: 'http' | 'postgres' | 'kafka';
  /** Asked at each commit that passes: whether its answer is lost. */
  readonly losesCommit: () => boolean;
  readonly onClosed: () => void;
}

/** How long the server may take for the answer that is lost; then the connection is reset anyway. */
const lostAnswerMsMax = 3_000;
/** The answer was seen to begin: the rest of it is on its way. */
const lostAnswerTailMs = 20;

/** A call whose answer never came through. */
interface WithheldCall extends Withheld {
  /** Such as `POST /brands/101/...`. */
  readonly request: string;
}

/** One connection through a proxy. */
export class Link {
  private readonly up: Relay;
  private readonly down: Relay;
  private readonly commits: CommitWatch | null;
  private request = '';
  private isLosing = false;
  private isWaiting = false;
  private closed = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: LinkOptions) {
    const { client, upstream, weather, chance, speaks } = options;
    this.up = new Relay({ from: client, to: upstream, weather, chance });
    this.down = new Relay({ from: upstream, to: client, weather, chance });
    this.commits = speaks === 'postgres' ? new CommitWatch() : null;
    client.on('data', (bytes) => {
      this.sent(bytes);
    });
    upstream.on('data', (bytes) => {
      this.answered(bytes);
    });
    client.on('end', () => {
      this.up.take(null);
    });
    upstream.on('end', () => {
      if (!this.isLosing) this.down.take(null);
    });
    for (const [one, other, onward] of [
      [client, upstream, this.up],
      [upstream, client, this.down],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', (hadError) => {
        this.gone(other, onward, hadError);
      });
    }
  }

  /** The client's own port, by which it can be told whose connection this is. */
  get clientPort(): number {
    return this.options.client.remotePort ?? 0;
  }

  /** Answers are swallowed from now on, the end of the connection too. */
  holdAnswers(): void {
    this.down.hold();
  }

  get withheldCall(): WithheldCall | null {
    const { withheld } = this.down;
    return withheld === null || withheld.bytes + Number(withheld.isEnded) === 0
      ? null
      : { ...withheld, request: this.request };
  }

  /** Bytes were swallowed: whoever waits for them waits for ever. */
  get isDead(): boolean {
    return this.up.withheld !== null || this.down.withheld !== null;
  }

  /** A call was handed over and not answered yet. */
  get isBusy(): boolean {
    return this.isWaiting;
  }

  get lastRequest(): string {
    return this.request;
  }

  reset(): void {
    this.up.drop();
    this.down.drop();
    this.options.client.resetAndDestroy();
    this.options.upstream.resetAndDestroy();
  }

  /** One side is told that the other has nothing more to say. */
  halfClose(side: 'client' | 'upstream'): void {
    this.options[side].end();
  }

  private sent(bytes: Buffer): void {
    if (this.options.speaks === 'http') this.note(bytes);
    // A commit is handed over and its answer lost: whoever waits cannot know what became of it.
    if (this.commits?.feed(bytes) === true && !this.isLosing && this.options.losesCommit()) this.loseAnswer();
    this.up.take(bytes);
  }

  private answered(bytes: Buffer): void {
    this.isWaiting = false;
    if (this.isLosing) this.resetIn(lostAnswerTailMs);
    else this.down.take(bytes);
  }

  private note(bytes: Buffer): void {
    const text = bytes.toString('latin1', 0, 512);
    const [line] = /^(?:GET|POST|PUT|DELETE) [^\r\n]*/.exec(text) ?? [];
    if (line === undefined) return;
    this.request = line;
    this.isWaiting = true;
  }

  private loseAnswer(): void {
    this.isLosing = true;
    this.resetIn(lostAnswerMsMax);
  }

  private resetIn(ms: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.reset();
    }, ms);
  }

  /** One side is gone for good: what it said still arrives, unless it was a reset. */
  private gone(other: Socket, onward: Relay, hadError: boolean): void {
    this.closed += 1;
    if (this.closed === 2) {
      if (this.timer !== null) clearTimeout(this.timer);
      this.options.onClosed();
      return;
    }
    if (onward.withheld !== null) {
      onward.take(null);
      if (onward === this.up) other.resetAndDestroy();
      return;
    }
    if (hadError) other.resetAndDestroy();
    else onward.take(null);
  }
}
