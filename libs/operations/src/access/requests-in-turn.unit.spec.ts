import type { EndTurn } from './requests-in-turn.js';
import { RequestsInTurn } from './requests-in-turn.js';

describe('the requests of one token', () => {
  let turns: RequestsInTurn;
  let log: string[];
  let ends: Map<string, EndTurn>;

  beforeEach(() => {
    jest.useFakeTimers();
    turns = new RequestsInTurn({ atOnceMax: 2, waitingMax: 2, waitMsMax: 1_000 });
    log = [];
    ends = new Map();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const take = async (token: string, name: string): Promise<void> => {
    const end = await turns.take(token);
    log.push(`${name} ${end === null ? 'refused' : 'begins'}`);
    if (end !== null) ends.set(name, end);
  };
  const settled = (): Promise<unknown> => jest.advanceTimersByTimeAsync(0);

  it('are worked on two at a time, in their order; more than may wait are refused at once, other tokens have theirs', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void take('ada', name);
    void take('bob', 'b1');
    await settled();
    expect(log).toEqual(['a1 begins', 'a2 begins', 'a5 refused', 'b1 begins']);
    ends.get('a2')?.();
    ends.get('a2')?.();
    await settled();
    expect(log.slice(4)).toEqual(['a3 begins']);
    ends.get('a1')?.();
    await settled();
    expect(log.slice(5)).toEqual(['a4 begins']);
  });

  it('wait only for so long', async () => {
    for (const name of ['a1', 'a2', 'a3']) void take('ada', name);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(log).toEqual(['a1 begins', 'a2 begins', 'a3 refused']);
    // Nobody waits any more: what ends leaves its place to the next one who comes.
    ends.get('a1')?.();
    void take('ada', 'a4');
    await settled();
    expect(log.at(-1)).toBe('a4 begins');
  });
});
