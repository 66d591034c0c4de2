import { gapsMs, isEveryPartitionAt, ordinaryMs } from './gaps.js';

const event = (partition: number, offset: number, at: number) => ({ partition, offset, at });
const look = (at: number, ...nextOffsets: number[]) => ({ at, nextOffsets });

/** Nobody consumes from 300 on: partition 0 until 900, partition 1 until 500. */
const looks = [look(100, 0, 0), look(150, 1, 1), look(250, 2, 2), look(500, 2, 4), look(900, 4, 4)];
const events = [0, 1].flatMap((partition) => [
  event(partition, 0, 100),
  event(partition, 1, 200),
  event(partition, 2, 290),
  event(partition, 3, 400),
]);

describe('how long partitions were not consumed', () => {
  it('takes as ordinary the median of the latencies', () => {
    expect(ordinaryMs({ events: events.filter(({ at }) => at <= 200), looks })).toBe(50);
  });

  it('is the longest latency of each partition minus the ordinary one, of events that were already waiting, too', () => {
    const range = { partitions: 2, since: 300, ordinary: 50 };
    expect(gapsMs({ events, looks }, range)).toEqual([560, 160]);
  });

  it('does not count what was recorded before it began, and does not know what is still waiting', () => {
    const waiting = [...events, event(0, 9, 410), event(1, 9, 410)];
    expect(gapsMs({ events: waiting, looks }, { partitions: 2, since: 600, ordinary: 50 })).toEqual([560, NaN]);
  });

  it('is not known of a partition without events: such a gap holds no bar', () => {
    const gaps = gapsMs({ events, looks }, { partitions: 3, since: 300, ordinary: 50 });
    expect(Math.max(...gaps)).toBeNaN();
  });
});

describe('whether every partition is consumed', () => {
  it('wants so many recorded events of each', () => {
    const early = looks.slice(0, 4);
    expect([2, 3].map((wanted) => isEveryPartitionAt({ events, looks: early }, 2, wanted))).toEqual([true, false]);
    expect(isEveryPartitionAt({ events, looks }, 2, 4)).toBe(true);
  });

  it('is not so where one of them has none', () => {
    expect(isEveryPartitionAt({ events, looks }, 3, 1)).toBe(false);
  });
});
