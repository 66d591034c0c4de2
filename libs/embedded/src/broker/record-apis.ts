import { noThrottleMs, type Api, type BrokerState } from './api.js';
import { splitBatches, type PartitionLog } from './topic-store.js';
import { errorCode, readByTopic, WireWriter, writeByTopic, type TopicItems, type WireReader } from './wire.js';

const firstEpoch = 0;
let lastProducerId = 0;

/** Lets an idempotent producer work. Its repeats are not recognized: on loopback no answer is lost. */
export const initProducerId: Api = {
  key: 22,
  versions: [0, 1],
  handle: () => {
    lastProducerId += 1;
    return new WireWriter().int32(noThrottleMs).int16(errorCode.none).int64(lastProducerId).int16(firstEpoch);
  },
};

interface Appended {
  readonly partition: number;
  readonly error: number;
  readonly baseOffset: number;
  readonly startOffset: number;
}

/** `message.max.bytes` of Kafka. */
const batchBytesMax = 1_048_588;
const noOffset = -1;
const startOffsetSince = 5;

const append = ({ topics }: BrokerState, topic: string, body: WireReader): Appended => {
  const partition = body.int32();
  const batches = splitBatches(body.bytes());
  const log = topics.log(topic, partition);
  const refused = (error: number): Appended => ({ partition, error, baseOffset: noOffset, startOffset: noOffset });
  if (log === undefined) return refused(errorCode.unknownTopicOrPartition);
  if (batches === undefined) return refused(errorCode.corruptMessage);
  if (batches.some(({ length }) => length > batchBytesMax)) return refused(errorCode.messageTooLarge);
  const baseOffset = log.append(batches);
  return { partition, error: errorCode.none, baseOffset, startOffset: log.startOffset };
};

export const produce: Api = {
  key: 0,
  versions: [3, 7],
  handle: ({ version, body }, broker) => {
    body.nullableString(); // transactional id
    const acks = body.int16();
    body.int32(); // timeout
    const appended = readByTopic(body, (topic) => append(broker, topic, body));
    broker.topics.ring();
    if (acks === 0) return undefined;
    const answer = new WireWriter();
    writeByTopic(answer, appended, ({ partition, error, baseOffset, startOffset }) => {
      answer.int32(partition).int16(error).int64(baseOffset).int64(noOffset); // no log append time
      if (version >= startOffsetSince) answer.int64(startOffset);
    });
    return answer.int32(noThrottleMs);
  },
};

interface Wanted {
  readonly partition: number;
  readonly offset: number;
  readonly bytesMax: number;
}

interface Found {
  readonly partition: number;
  readonly error: number;
  readonly endOffset: number;
  readonly records: Buffer;
}

const nothing = Buffer.alloc(0);

const readWanted = (body: WireReader): Wanted => ({
  partition: body.int32(),
  offset: body.int64(),
  bytesMax: body.int32(),
});

const find = ({ topics }: BrokerState, topic: string, wanted: Wanted): Found => {
  const { partition, offset, bytesMax } = wanted;
  const log = topics.log(topic, partition);
  const empty = (error: number): Found => ({ partition, error, endOffset: log?.endOffset ?? -1, records: nothing });
  if (log === undefined) return empty(errorCode.unknownTopicOrPartition);
  const { startOffset, endOffset } = log;
  if (offset < startOffset || offset > endOffset) return empty(errorCode.offsetOutOfRange);
  return { partition, error: errorCode.none, endOffset, records: Buffer.concat(log.read(offset, bytesMax)) };
};

/** Reads what is there, within the limit of the whole answer, which only the first records may exceed. */
const collect = (broker: BrokerState, wanted: readonly TopicItems<Wanted>[], bytesMax: number): TopicItems<Found>[] => {
  let left = bytesMax;
  const within = (found: Found): Found => {
    const fits = found.records.length <= left || left === bytesMax;
    if (fits) left -= found.records.length;
    return fits ? found : { ...found, records: nothing };
  };
  return wanted.map(({ topic, items }) => ({ topic, items: items.map((item) => within(find(broker, topic, item))) }));
};

const isWorthAnswering = (topics: readonly TopicItems<Found>[], bytesMin: number): boolean => {
  const found = topics.flatMap(({ items }) => items);
  const size = found.reduce((sum, { records }) => sum + records.length, 0);
  return size >= bytesMin || found.some(({ error }) => error !== errorCode.none);
};

export const fetch: Api = {
  key: 1,
  versions: [4, 4],
  handle: async ({ body }, broker) => {
    body.int32(); // replica id
    const deadline = performance.now() + body.int32();
    const bytesMin = body.int32();
    const bytesMax = body.int32();
    body.int8(); // isolation level: there are no transactions
    const wanted = readByTopic(body, () => readWanted(body));
    let found = collect(broker, wanted, bytesMax);
    while (!isWorthAnswering(found, bytesMin) && performance.now() < deadline) {
      await broker.topics.nextRing(deadline - performance.now());
      found = collect(broker, wanted, bytesMax);
    }
    const answer = new WireWriter().int32(noThrottleMs);
    return writeByTopic(answer, found, ({ partition, error, endOffset, records }) =>
      answer.int32(partition).int16(error).int64(endOffset).int64(endOffset).int32(-1).bytes(records),
    );
  },
};

interface Position {
  readonly timestamp: number;
  readonly offset: number;
}

const none = -1;
const earliest = -2;
const latest = -1;

const positionAt = (log: PartitionLog, timestamp: number): Position => {
  if (timestamp === earliest) return { timestamp: none, offset: log.startOffset };
  if (timestamp === latest) return { timestamp: none, offset: log.endOffset };
  const batch = log.findByTime(timestamp);
  return { timestamp: batch?.baseTimestamp ?? none, offset: batch?.baseOffset ?? none };
};

export const listOffsets: Api = {
  key: 2,
  versions: [1, 1],
  handle: ({ body }, broker) => {
    body.int32(); // replica id
    const wanted = readByTopic(body, () => ({ partition: body.int32(), timestamp: body.int64() }));
    const answer = new WireWriter();
    return writeByTopic(answer, wanted, ({ partition, timestamp }, topic) => {
      const log = broker.topics.log(topic, partition);
      const error = log === undefined ? errorCode.unknownTopicOrPartition : errorCode.none;
      const position = log === undefined ? { timestamp: none, offset: none } : positionAt(log, timestamp);
      answer.int32(partition).int16(error).int64(position.timestamp).int64(position.offset);
    });
  },
};
