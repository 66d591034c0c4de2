import type { Database, SqlResult } from '#platform';

import type { Replay, ReplayState } from '../replays/replay-store.js';
import { eventText, lastEventId, ReplayWatch } from './live-changes.js';

/** `counts` are kept once nothing moves any more. */
function replay(replayId: string, state: ReplayState = 'running', counts: Replay['counts'] = null): Replay {
  return {
    ...{ replayId, state, query: {}, reason: 'mended', ratePerSecond: 1, isCanary: true, isForced: false },
    ...{
      canaryFrom: 0,
      settled: 0,
      failed: 0,
      stoppedBecause: null,
      money: [],
      members: null,
      createdAt: 0,
      createdBy: 'ada',
      finishedAt: null,
      needsRole: 'operator',
    },
    ...{ startedAt: 0, startedBy: 'ada', startReason: 'mended', counts },
  };
}

describe('watching replays', () => {
  let watch: ReplayWatch;
  /** Delivered items of every replay. */
  let delivered: number;
  let counted: string[][];
  let found: Replay[];

  beforeEach(() => {
    delivered = 0;
    counted = [];
    found = [];
    const execute = async ({ name }: { readonly name: string }, [first]: unknown[]): Promise<SqlResult<object>> => {
      const wanted = first as string[];
      const ended = found.filter(({ replayId }) => replayId === String(first));
      if (name === 'find_replay') return { rows: ended, rowCount: ended.length };
      counted.push(wanted);
      const rows = wanted.map((replayId) => ({
        replayId,
        state: 'delivered',
        forecast: 'will-post',
        items: delivered,
      }));
      return { rows, rowCount: rows.length };
    };
    watch = new ReplayWatch({ execute } as unknown as Database);
  });

  const look = async (...open: Replay[]): Promise<[string, string, number][]> =>
    (await watch.look(open)).map(({ id, state, items }) => [id, state, items]);

  it('tells one that is new, and again when its items have moved', async () => {
    expect(await look(replay('r'))).toEqual([['r', 'running', 0]]);
    expect(await look(replay('r'))).toEqual([]);
    delivered = 5;
    expect(await look(replay('r'))).toEqual([['r', 'running', 5]]);
    expect(watch.open).toMatchObject([{ id: 'r', byState: { delivered: 5 } }]);
  });

  it('tells what of one that was paused still comes to its end, and counts nothing once its counts are kept', async () => {
    await look(replay('r'));
    expect(await look(replay('r', 'paused'))).toEqual([['r', 'paused', 0]]);
    delivered = 1;
    expect(await look(replay('r', 'paused'))).toEqual([['r', 'paused', 1]]);
    counted = [];
    const resting = replay('r', 'paused', { byState: { delivered: 1 }, byForecast: { 'will-post': 1 } });
    expect(await look(resting)).toEqual([]);
    expect(await look(resting)).toEqual([]);
    expect(counted).toEqual([]);
    expect(watch.open).toMatchObject([{ id: 'r', state: 'paused', byState: { delivered: 1 } }]);
  });

  it('tells how one has ended, and then no more of it', async () => {
    await look(replay('r'), replay('s'));
    found = [replay('r', 'done')];
    expect(await look(replay('s'))).toEqual([['r', 'done', 0]]);
    expect(await look(replay('s'))).toEqual([]);
    expect(watch.open.map(({ id }) => id)).toEqual(['s']);
  });
});

describe('an event of the stream', () => {
  it('is written as Server-Sent Events are, whatever its data holds', () => {
    const text = eventText({ name: 'action', data: { reason: 'two\nlines\r\n\ndata: x' }, id: 7 });
    expect(text).toBe('event: action\nid: 7\ndata: {"reason":"two\\nlines\\r\\n\\ndata: x"}\n\n');
    expect(eventText({ name: 'pause', data: [] })).toBe('event: pause\ndata: []\n\n');
  });

  it.each([
    ['12', 12],
    ['0', 0],
    ['', null],
    ['-1', null],
    ['1e3', null],
    ['9'.repeat(16), null],
    [undefined, null],
    [['1', '2'], null],
  ])('%j names the last one: %j', (header, id) => {
    expect(lastEventId(header)).toBe(id);
  });
});
