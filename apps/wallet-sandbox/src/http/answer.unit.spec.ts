import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { HttpReply } from './call.js';
import { jsonAnswer, writeAnswer } from './answer.js';

const bytes = 16 * 1024 ** 3;

/** A caller that takes a piece of an answer when it is told to. */
class SlowCaller extends Writable {
  taken = 0;
  private takeOne: (() => void) | null = null;
  private hasCome = Promise.withResolvers<undefined>();

  constructor() {
    super({ highWaterMark: 64 * 1024 });
  }

  writeHead(): void {
    // Nobody here reads the head.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken += chunk.length;
    this.takeOne = done;
    this.hasCome.resolve(undefined);
  }

  /** Takes the piece that waits, and waits for the next. */
  async take(): Promise<void> {
    await this.hasCome.promise;
    this.hasCome = Promise.withResolvers<undefined>();
    this.takeOne?.();
    await this.hasCome.promise;
  }
}

describe('an oversized answer', () => {
  it('of 16 GiB takes no more memory than the caller has yet to take: two pieces of it', async () => {
    const caller = new SlowCaller();
    const reply = { hijack: () => undefined, raw: caller as unknown as ServerResponse } as unknown as HttpReply;
    expect(writeAnswer(reply, { ...jsonAnswer(200, { a: 1 }), wire: 'oversized', bytes })).toBeUndefined();
    const waiting: number[] = [];
    for (let piece = 0; piece < 100; piece += 1) {
      await caller.take();
      waiting.push(caller.writableLength);
    }
    expect(caller.taken).toBeGreaterThan(99 * 64 * 1024);
    expect(Math.max(...waiting)).toBeLessThanOrEqual(2 * 64 * 1024);
    caller.destroy();
  });
});
