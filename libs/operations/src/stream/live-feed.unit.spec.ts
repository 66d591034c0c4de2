import { EventEmitter } from 'node:events';

import { AuditRepository } from '#intents';
import type { Database, SqlResult } from '#platform';
import { settle, VirtualClock } from '#test-support';

import { JobItemRepository } from '../jobs/job-items.js';
import { JobRepository } from '../jobs/job-repository.js';
import { ApiProblem } from '../problems/api-problem.js';
import type { Stats, StatsService } from '../stats/stats-service.js';
import { heartbeatMs, LiveFeed, pollMs, streamMsMax, viewerBacklogBytesMax, viewersMax } from './live-feed.js';

/** An answer whose reader the test is. */
class TestAnswer extends EventEmitter {
  text = '';
  /** What its reader has not read. */
  writableLength = 0;
  destroyed = false;

  write(text: string): void {
    this.text += text;
  }

  end(): void {
    this.emit('close');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  events(): string[] {
    return [...this.text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name ?? '');
  }
}

const overview = {
  at: 0,
  ...{ intents: [], delivering: [], oldestPending: [], blockedLanes: [], quarantine: [], valueAtRisk: [] },
  ...{ pauses: [], jobs: [], processes: [], recovery: null, uncountedSince: null },
};

describe('the live feed', () => {
  let clock: VirtualClock;
  let feed: LiveFeed;
  let looks: number;
  let isAway: boolean;
  let actions: { readonly actionId: number; readonly at: number }[];

  beforeEach(() => {
    clock = new VirtualClock();
    looks = 0;
    isAway = false;
    actions = [];
    const execute = async ({ name }: { readonly name: string }, parameters: number[]): Promise<SqlResult<object>> => {
      if (isAway) throw new Error('away');
      if (name === 'find_last_action') return { rows: actions.slice(-1), rowCount: 0 };
      const rows =
        name === 'list_actions_after' ? actions.filter((action) => action.actionId > (parameters[0] ?? 0)) : [];
      return { rows, rowCount: rows.length };
    };
    const current = async (): Promise<Stats> => {
      looks += 1;
      return { overview, rates: [], self: { processId: '' } };
    };
    const database = { execute } as unknown as Database;
    const [audits, jobs] = [new AuditRepository(database), new JobRepository(database)];
    const stats = { current } as unknown as StatsService;
    feed = new LiveFeed(clock, stats, { audits, jobs, items: new JobItemRepository(database) });
  });

  async function open(change: { readonly lastId?: number; readonly until?: number } = {}): Promise<TestAnswer> {
    const answer = new TestAnswer();
    await feed.open({ lastId: null, limit: null, ...change, answer: () => answer });
    return answer;
  }

  async function codeOf(opening: Promise<unknown>): Promise<string> {
    const error = await opening.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error instanceof ApiProblem ? error.options.code : String(error);
  }

  function act(actionId: number): void {
    actions = [...actions, { actionId, at: 0 }].toSorted((one, other) => one.actionId - other.actionId);
  }

  it('tells how things stand at once, and then again and again', async () => {
    const viewer = await open();
    expect(viewer.text).toMatch(
      /^retry: \d+\n\nevent: stats\nid: 0\ndata: \{.*\}\n\nevent: pause\ndata: \{"items":\[\]\}\n\n$/,
    );
    await clock.advance(pollMs);
    expect(viewer.events()).toEqual(['stats', 'pause', 'stats']);
    await clock.advance(heartbeatMs);
    expect(viewer.text).toContain('\n\n:\n\n');
  });

  it('looks once for all who watch, and not at all for nobody', async () => {
    expect(clock.pendingTimers).toBe(0);
    const viewers = [await open(), await open(), await open()];
    looks = 0;
    await clock.advance(5 * pollMs);
    expect(looks).toBe(5);
    for (const viewer of viewers) viewer.emit('close');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(5 * pollMs);
    expect(looks).toBe(5);
  });

  it('tells each action once, also one whose id comes late', async () => {
    act(1);
    const viewer = await open();
    act(3);
    await clock.advance(pollMs);
    act(2);
    await clock.advance(2 * pollMs);
    expect([...viewer.text.matchAll(/^event: action\nid: (\d+)$/gm)].map(([, id]) => id)).toEqual(['3', '2']);
  });

  it('tells somebody who comes back what was done meanwhile', async () => {
    act(1);
    await open();
    act(2);
    act(3);
    await clock.advance(pollMs);
    const back = await open({ lastId: 1 });
    expect(back.events()).toEqual(['stats', 'pause', 'action', 'action']);
    expect(back.text).not.toContain('event: stats\nid:');
    await clock.advance(pollMs);
    expect(back.events().filter((name) => name === 'action')).toHaveLength(2);
  });

  it('lets only so many watch', async () => {
    const viewers = await Promise.all(Array.from({ length: viewersMax }, () => open()));
    expect(await codeOf(open())).toBe('too-many-streams');
    viewers[0]?.emit('close');
    await open();
    const greeted = await Promise.all([codeOf(open()), codeOf(open())]);
    expect(greeted).toEqual(['too-many-streams', 'too-many-streams']);
  });

  it('lets go of who does not read', async () => {
    const [slow, quick] = [await open(), await open()];
    slow.writableLength = viewerBacklogBytesMax + 1;
    const told = slow.text;
    await clock.advance(pollMs);
    expect([slow.destroyed, slow.text]).toEqual([true, told]);
    expect(quick.destroyed).toBe(false);
    expect(quick.events()).toHaveLength(3);
  });

  it('ends a stream with its token, and any after a while', async () => {
    const ended: string[] = [];
    const [brief, long] = [await open({ until: clock.now() + 10_000 }), await open()];
    brief.on('close', () => ended.push('brief'));
    long.on('close', () => ended.push('long'));
    await clock.advance(10_000);
    expect(ended).toEqual(['brief']);
    await clock.advance(streamMsMax - 10_000);
    expect(ended).toEqual(['brief', 'long']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends all at once when the process is to end, and lets nobody in', async () => {
    const [quick, slow] = [await open(), await open()];
    slow.writableLength = 1;
    let ended = 0;
    quick.on('close', () => (ended += 1));
    feed.close();
    expect([ended, slow.destroyed, quick.destroyed]).toEqual([1, true, false]);
    expect(clock.pendingTimers).toBe(0);
    expect(await codeOf(open())).toBe('draining');
  });

  it('ends them when there is nothing to tell, and says why to whoever comes back', async () => {
    const viewer = await open();
    let ended = 0;
    viewer.on('close', () => (ended += 1));
    isAway = true;
    await clock.advance(pollMs);
    expect(ended).toBe(1);
    expect(await codeOf(open())).toBe('Error: away');
    isAway = false;
    expect((await open()).events()).toEqual(['stats', 'pause']);
  });

  it('does not wait for who has gone before they were greeted', async () => {
    const answer = new TestAnswer();
    answer.destroyed = true;
    await feed.open({ lastId: null, limit: null, answer: () => answer });
    await settle();
    expect([answer.text, clock.pendingTimers]).toEqual(['', 0]);
  });
});
