import { BatchQueue } from './batch-queue.js';

/** A queue whose flushes are recorded and, while `gate` is set, held back. */
function recordedQueue(batchSizeMax: number) {
  const batches: number[][] = [];
  let gate: Promise<void> | null = null;
  const queue = new BatchQueue<number, string>({
    batchSizeMax,
    standsAlone: (item) => item > 100,
    flush: async (items) => {
      batches.push([...items]);
      await gate;
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => `done ${item}`);
    },
  });
  const hold = (until: Promise<void>): void => {
    gate = until;
  };
  return { queue, batches, hold };
}

describe('BatchQueue', () => {
  it('writes together what arrives in one turn, in order', async () => {
    const { queue, batches } = recordedQueue(10);
    const results = await Promise.all([1, 2, 3].map((item) => queue.add(item)));
    expect(results).toEqual(['done 1', 'done 2', 'done 3']);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('collects while a batch is being written, and never exceeds the limit', async () => {
    const { queue, batches, hold } = recordedQueue(2);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    hold(promise);
    const first = queue.add(1);
    await new Promise((turn) => setImmediate(turn));
    const others = [2, 3, 4].map((item) => queue.add(item));
    expect(batches).toEqual([[1]]);
    resolve(undefined);
    await Promise.all([first, ...others]);
    expect(batches).toEqual([[1], [2, 3], [4]]);
  });

  it.each([
    ['first', [101, 1, 2], [[101], [1, 2]]],
    ['in the middle', [1, 101, 2], [[1], [101], [2]]],
    ['last', [1, 2, 101], [[1, 2], [101]]],
    ['beside another', [101, 102], [[101], [102]]],
    ['beyond the limit', [1, 2, 3, 101], [[1, 2, 3], [101]]],
  ])('writes an item that stands alone by itself: %s', async (_where, items, expected) => {
    const { queue, batches } = recordedQueue(3);
    await Promise.all(items.map((item) => queue.add(item)));
    expect(batches).toEqual(expected);
  });

  it('fails the whole batch, and only that one', async () => {
    const { queue } = recordedQueue(2);
    const results = await Promise.allSettled([12, 13, 14].map((item) => queue.add(item)));
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await expect(queue.add(15)).resolves.toBe('done 15');
  });

  it('refuses a flush that forgets an item', async () => {
    const queue = new BatchQueue<number, string>({ batchSizeMax: 5, flush: async () => [] });
    await expect(queue.add(1)).rejects.toThrow('one result per item');
  });
});
