import { filesInUse, type ProgramsStatus, reloadText, type ReloadResult } from './programs-words.js';

describe('programs files', () => {
  const process = (host: string, hash: string, alive = true): unknown => ({ host, hash, alive });

  it('are those that processes work by', () => {
    const processes = [process('a', '1'), process('b', '2'), process('c', '2'), process('d', '3', false)];
    expect(filesInUse({ agree: false, processes } as unknown as ProgramsStatus)).toEqual([
      { hash: '2', hosts: ['b', 'c'] },
      { hash: '1', hosts: ['a'] },
    ]);
  });

  it('may have changed, and not everywhere', () => {
    const result = {
      changed: true,
      hash: '1d7fc3eb376e5da3',
      programs: ['tea'],
      problems: [],
    } as unknown as ReloadResult;
    expect(reloadText(result)).toBe('Another file is in force now: 1 program, 1d7fc3eb376e.');
    expect(reloadText({ ...result, changed: false, problems: ['pod-2: programs.tea'] })).toBe(
      'The file was the same: 1 program, 1d7fc3eb376e. Not followed: pod-2: programs.tea.',
    );
  });
});
