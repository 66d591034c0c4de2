import type { Api } from '../api.js';
import { readByTopic, writeByTopic } from '../by-topic.js';
import { errorCode } from '../error-code.js';
import type { PartitionLog } from '../partition-log.js';
import { WireWriter } from '../wire-writer.js';

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
