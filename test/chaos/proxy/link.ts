import type { Socket } from 'node:net';

import type { Chance } from '../chance.js';
import { CommitWatch } from './commit-watch.js';
import { Pump, type Withheld } from './pump.js';
import type { Weather } from './weather.js';

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
export interface WithheldCall extends Withheld {
  /** Such as `POST /brands/101/...`. */
  readonly request: string;
}

/** One connection through a proxy. */
export class Link {
  private readonly up: Pump;
  private readonly down: Pump;
  private readonly commits: CommitWatch | null;
  private request = '';
  private isLosing = false;
  private isWaiting = false;
  private closed = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: LinkOptions) {
    const { client, upstream, weather, chance, speaks } = options;
    this.up = new Pump({ from: client, to: upstream, weather, chance });
    this.down = new Pump({ from: upstream, to: client, weather, chance });
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
  private gone(other: Socket, onward: Pump, hadError: boolean): void {
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
