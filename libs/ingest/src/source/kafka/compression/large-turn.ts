const nobody = 0;
/** Whoever waits looks again after so long, whatever it has missed. */
const lookAgainMs = 1_000;

/** A turn that the threads of a process take one at a time. */
class SharedTurn {
  private memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  private self = 1;

  /** From now on the turn is that of all threads with this memory. */
  share(memory: SharedArrayBuffer, self: number): void {
    this.memory = memory;
    this.self = self;
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const { memory, self } = this;
    await take(memory, self);
    try {
      return await work();
    } finally {
      giveBack(memory, self);
    }
  }
}

async function take(memory: SharedArrayBuffer, self: number): Promise<void> {
  const holder = new Int32Array(memory);
  for (;;) {
    const other = Atomics.compareExchange(holder, 0, nobody, self);
    if (other === nobody) return;
    await Atomics.waitAsync(holder, 0, other, lookAgainMs).value;
  }
}

function giveBack(memory: SharedArrayBuffer, self: number): void {
  const holder = new Int32Array(memory);
  if (Atomics.compareExchange(holder, 0, self, nobody) === self) Atomics.notify(holder, 0, 1);
}

/** Whose turn it is to have a large batch in memory. By default a thread shares it with nobody. */
export const largeTurn = new SharedTurn();

/** What the threads of a process have in common, so that together they stay within its memory. */
export interface SharedDecompression {
  readonly memory: SharedArrayBuffer;
  /** Of those that consume. */
  readonly threads: number;
}

export function sharedDecompression(threads: number): SharedDecompression {
  return { memory: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT), threads };
}

/** A thread that has ended has no turn. */
export function endTurnOf({ memory }: SharedDecompression, thread: number): void {
  giveBack(memory, thread);
}
