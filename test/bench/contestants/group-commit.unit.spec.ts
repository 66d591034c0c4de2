import { setImmediate as nextTurn } from 'node:timers/promises';

import { GroupCommit } from './group-commit.js';

describe('a group commit', () => {
  it('writes together what comes together, and what comes meanwhile in the next group', async () => {
    const groups: (readonly number[])[] = [];
    const firstWrite = Promise.withResolvers<undefined>();
    const commit = new GroupCommit<number>(async (items) => {
      groups.push(items);
      if (groups.length === 1) await firstWrite.promise;
    });
    const first = [commit.add(1), commit.add(2)];
    await nextTurn();
    await nextTurn();
    const second = [commit.add(3), commit.add(4)];
    expect(groups).toEqual([[1, 2]]);
    firstWrite.resolve(undefined);
    await Promise.all([...first, ...second]);
    expect(groups).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('fails those whose group failed, and goes on', async () => {
    let writes = 0;
    const commit = new GroupCommit<number>(async () => {
      writes += 1;
      if (writes === 1) throw new Error('no disk');
    });
    await expect(commit.add(1)).rejects.toThrow('no disk');
    await expect(commit.add(2)).resolves.toBeUndefined();
  });
});
