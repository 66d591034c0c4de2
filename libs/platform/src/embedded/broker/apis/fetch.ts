import { noThrottleMs, type Api, type BrokerState } from '../api.js';
import { readByTopic, writeByTopic, type TopicItems } from '../by-topic.js';
import { errorCode } from '../error-code.js';
import type { WireReader } from '../wire-reader.js';
import { WireWriter } from '../wire-writer.js';

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
