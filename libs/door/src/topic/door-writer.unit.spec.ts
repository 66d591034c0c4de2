import type { Admin, KafkaDriver, Producer } from '#kafka';
import { recordingLogger } from '#kafka/testing';
import { ApiProblem } from '#operations';
import { VirtualClock } from '#test-support';

import { doorLimits } from '../door-limits.js';
import { DoorWriter } from './door-writer.js';

const records = [{ key: 'm_1', value: '{}' }];

describe('the writer of the door', () => {
  let clock: VirtualClock;
  let replicas: number;
  let sent: number;
  let closed: number;
  let appendedAt: number | null;
  let send: Producer['send'];
  let connection: () => { readonly brokers: readonly string[] };
  let writer: DoorWriter;

  beforeEach(() => {
    clock = new VirtualClock();
    replicas = 2;
    sent = 0;
    closed = 0;
    appendedAt = null;
    send = async () => {
      sent += 1;
      return [{ topic: 'shop', partition: 3, firstOffset: 41, appendedAt }];
    };
    connection = () => ({ brokers: ['b:1'] });
    const admin = {
      brokers: async () => [1, 2, 3].map((port) => ({ host: 'b', port })),
      topicSettings: async () => [{ name: 'shop', retentionMs: null, isCompacted: false, minInsyncReplicas: replicas }],
    } as unknown as Admin;
    const producer: Producer = {
      send: (all) => send(all),
      close: async () => {
        closed += 1;
      },
    };
    const driver = { admin: () => admin, producer: async () => producer } as unknown as KafkaDriver;
    const settings = {
      ...{ connection: () => connection(), limits: doorLimits },
      ...{ counted: () => undefined, underWay: () => undefined },
    };
    writer = new DoorWriter(settings, driver, clock, recordingLogger().logger);
  });

  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
      return 'accepted';
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      return `${error.options.status} ${error.options.code}`;
    }
  };

  it('says where each of several records of one key lies', async () => {
    const found = await writer.write('shop', [...records, { key: 'm_1', value: '[]' }]);
    expect(found.map(({ partition, offset }) => `${partition}-${offset}`)).toEqual(['3-41', '3-42']);
  });

  it('says which timestamp each has: the one that it sends, or the one that the broker gives', async () => {
    let own: number | undefined;
    send = async ([to]) => {
      own = to?.records[0]?.sentAt;
      return [{ topic: 'shop', partition: 3, firstOffset: 41, appendedAt }];
    };
    expect(await writer.write('shop', records)).toMatchObject([{ at: clock.now() }]);
    expect(own).toBe(clock.now());
    appendedAt = 1_796_000_000_000;
    expect(await writer.write('shop', records)).toMatchObject([{ at: appendedAt }]);
  });

  it('takes nothing that one broker alone would acknowledge, until that is changed', async () => {
    replicas = 1;
    expect(await codeOf(writer.write('shop', records))).toBe('503 not-kept');
    expect(sent).toBe(0);
    replicas = 2;
    expect(await codeOf(writer.write('shop', records))).toBe('503 not-kept');
    await clock.advance(60_000);
    expect(await codeOf(writer.write('shop', records))).toBe('accepted');
  });

  it('says that Kafka is away while there is no token for it', async () => {
    connection = () => {
      throw new Error('no token');
    };
    expect(await codeOf(writer.write('shop', records))).toBe('503 kafka-away');
    connection = () => ({ brokers: ['b:1'] });
    expect(await codeOf(writer.write('shop', records))).toBe('accepted');
  });

  it('waits for an acknowledgement no longer than it may, and takes another connection then', async () => {
    send = () => new Promise(() => undefined);
    const code = codeOf(writer.write('shop', records));
    await clock.advance(doorLimits.acknowledgedMsMax);
    expect(await code).toBe('503 kafka-away');
    expect(closed).toBe(1);
  });
});
