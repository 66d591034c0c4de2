import { PendingWrites } from './recording.js';

describe('writes that nobody waits for yet', () => {
  it('are all answered in the end', async () => {
    const writes = new PendingWrites();
    const done: string[] = [];
    for (const name of ['a', 'b']) writes.add(Promise.resolve().then(() => void done.push(name)));
    await writes.answered();
    expect(done).toEqual(['a', 'b']);
    expect(await writes.failure()).toBeNull();
  });

  it('fail with what the first of them failed with, not with what the server says of those after it', async () => {
    const writes = new PendingWrites();
    const first = Promise.withResolvers<undefined>();
    writes.add(Promise.resolve());
    writes.add(first.promise);
    writes.add(Promise.reject(new Error('current transaction is aborted')));
    first.reject(new Error('deadlock detected'));
    await expect(writes.answered()).rejects.toThrow('deadlock detected');
    expect(await writes.failure()).toEqual(new Error('deadlock detected'));
  });
});
