import { durabilityOf } from '#door';
import type { Admin } from '#kafka';

import { judgeDoor } from './door.js';

const adminOf = (brokers: number, minInsyncReplicas: number | null): Pick<Admin, 'brokers' | 'topicSettings'> => ({
  brokers: async () => Array.from({ length: brokers }, (_, at) => ({ host: `b${at}`, port: 9092 })),
  topicSettings: async ([name = '']) => [{ name, retentionMs: null, isCompacted: false, minInsyncReplicas }],
});

describe('what the door acknowledges', () => {
  it.each([
    { who: 'two of three replicas have', brokers: 3, replicas: 2, durability: 'kept', finding: 'kafka.door ok' },
    {
      who: 'one of three replicas has',
      brokers: 3,
      replicas: 1,
      durability: 'too-few',
      finding: 'kafka.door.shop failed',
    },
    { who: 'the only broker has', brokers: 1, replicas: 1, durability: 'alone', finding: 'kafka.door.shop warning' },
    { who: 'nobody says how many have', brokers: 3, replicas: null, durability: 'unknown', finding: 'kafka.door ok' },
  ])('is what $who', async ({ brokers, replicas, durability, finding }) => {
    const found = await durabilityOf(adminOf(brokers, replicas), 'shop');
    expect(found).toBe(durability);
    expect(judgeDoor(new Map([['shop', found]])).map(({ name, state }) => `${name} ${state}`)).toEqual([finding]);
  });
});
