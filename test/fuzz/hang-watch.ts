import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** No input takes so long, on however busy a machine: it never ends. */
const hangMs = 60_000;
const lookMs = 1_000;
const inputBytesMax = 1024 * 1024;
const standardError = 2;

/** Counter, then length, then the input. */
const headInts = 2;

interface Shared {
  readonly memory: SharedArrayBuffer;
  readonly target: string;
}

/**
 * A thread beside the one that is fuzzed: where an input never ends, nothing in its own thread can say so any more. It
 * prints the input, and ends the process.
 */
export class HangWatch {
  private readonly memory = new SharedArrayBuffer(headInts * Int32Array.BYTES_PER_ELEMENT + inputBytesMax);
  private readonly head = new Int32Array(this.memory, 0, headInts);
  private readonly bytes = new Uint8Array(this.memory, headInts * Int32Array.BYTES_PER_ELEMENT);
  private readonly thread: Worker;

  constructor(target: string) {
    const shared: Shared = { memory: this.memory, target };
    this.thread = new Worker(new URL(import.meta.url), { workerData: shared });
    this.thread.unref();
  }

  begin(input: Buffer): void {
    const length = Math.min(input.length, inputBytesMax);
    this.bytes.set(input.subarray(0, length));
    Atomics.store(this.head, 1, length);
    Atomics.add(this.head, 0, 1);
  }

  async end(): Promise<void> {
    await this.thread.terminate();
  }
}

function watch({ memory, target }: Shared): void {
  const head = new Int32Array(memory, 0, headInts);
  let seen = { count: 0, at: performance.now() };
  setInterval(() => {
    const count = Atomics.load(head, 0);
    if (count !== seen.count) seen = { count, at: performance.now() };
    if (count === 0 || performance.now() - seen.at < hangMs) return;
    const input = Buffer.from(new Uint8Array(memory, headInts * Int32Array.BYTES_PER_ELEMENT, Atomics.load(head, 1)));
    writeSync(
      standardError,
      `${target}: an input never ends\n  again: npm run fuzz -- --only ${target} --repeat ${input.toString('base64')}\n`,
    );
    process.kill(process.pid, 'SIGKILL');
  }, lookMs);
}

if (!isMainThread) watch(workerData as Shared);
