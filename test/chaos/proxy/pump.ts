import type { Socket } from 'node:net';

import type { Chance } from '../chance.js';
import type { Weather } from './weather.js';

/** A piece on its way; without bytes: the end of what one side has to say. */
interface Parcel {
  readonly bytes: Buffer | null;
  readonly dueAt: number;
}

export interface PumpOptions {
  readonly from: Socket;
  readonly to: Socket;
  readonly weather: () => Weather;
  readonly chance: Chance;
}

/** What a pump swallowed since it was told to hold everything back. */
export interface Withheld {
  readonly head: string;
  readonly bytes: number;
  readonly isEnded: boolean;
}

const queuedBytesMax = 4 * 1024 * 1024;
const headBytesMax = 256;

/** Carries bytes one way, late or in slices if the weather wants it, in order always. */
export class Pump {
  private readonly queue: Parcel[] = [];
  private queuedBytes = 0;
  private timer: NodeJS.Timeout | null = null;
  private lastDueAt = 0;
  private held: { head: string; bytes: number; isEnded: boolean } | null = null;

  constructor(private readonly options: PumpOptions) {}

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
    return lossChance > 0 && chance.isLucky(lossChance) ? late + retransmitMs : late;
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
