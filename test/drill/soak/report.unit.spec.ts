import { minutesOf } from './report.js';

function beat(seconds: number, acknowledged: number, effects: number) {
  return { at: 0, seconds, acknowledged, ingested: acknowledged - 1, effects, pending: 2, hasWork: true };
}

function sample(process: string, seconds: number, mebibytes: number) {
  return { process, pid: 1, seconds, ageSeconds: seconds, mebibytes, descriptors: 1 };
}

describe('the minutes of a run', () => {
  it('tell what came, what was delivered, what was left and what everybody took', () => {
    const seen = {
      beats: [beat(1, 10, 8), beat(59, 100, 90), beat(61, 104, 95), beat(119, 150, 150), beat(121, 150, 150)],
      samples: [
        sample('veteran', 5, 90),
        sample('veteran', 6, 110),
        sample('sandbox', 7, 50),
        sample('veteran', 70, 120),
      ],
      restarts: [{ process: 'daemon 1', round: 1, drainMs: 700, readyMs: 3_000, end: '0' }],
    };
    expect(minutesOf(seen, 60)).toEqual([
      {
        events: 100,
        delivered: 90,
        backlogMax: 3,
        memory: { veteran: 100, sandbox: 50 },
        drainMsMax: 0,
        readyMsMax: 0,
      },
      { events: 50, delivered: 60, backlogMax: 3, memory: { veteran: 120 }, drainMsMax: 700, readyMsMax: 3_000 },
      { events: 0, delivered: 0, backlogMax: 3, memory: {}, drainMsMax: 0, readyMsMax: 0 },
    ]);
  });

  it('are none where nothing was seen', () => {
    expect(minutesOf({ beats: [], samples: [], restarts: [] }, 60)).toEqual([]);
  });
});
