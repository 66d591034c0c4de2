import { IdleWait } from '#platform';

import { feedPollMs } from './topic-publisher.js';

describe('the next look for what is to be published', () => {
  const polls = (): ReturnType<typeof feedPollMs> => feedPollMs(new IdleWait({ leastMs: 100, mostMs: 500 }));

  it('comes at once after a success, and the later the longer a transaction stays open', () => {
    const pollMs = polls();
    expect(pollMs('published')).toBe(0);
    const waits = Array.from({ length: 9 }, () => pollMs('open'));
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 250, 250, 250]);
    expect(pollMs('idle')).toBe(100);
    expect(pollMs('open')).toBe(5);
  });

  it('comes ever more rarely while nothing comes, and often again after a success', () => {
    const pollMs = polls();
    const waits = Array.from({ length: 30 }, () => pollMs('idle'));
    expect(waits.at(-1)).toBe(500);
    pollMs('published');
    expect(pollMs('idle')).toBe(100);
  });
});
