import { noThrottleMs, type Api, type BrokerState } from '../api.js';
import { readByTopic, writeByTopic } from '../by-topic.js';
import { errorCode } from '../error-code.js';
import { splitBatches } from '../record-batch.js';
import type { WireReader } from '../wire-reader.js';
import { WireWriter } from '../wire-writer.js';

interface Appended {
  readonly partition: number;
  readonly error: number;
  readonly baseOffset: number;
  readonly startOffset: number;
}

/** `message.max.bytes` of Kafka. */
const batchBytesMax = 1_048_588;
const none = -1;
const startOffsetSince = 5;

const append = ({ topics }: BrokerState, topic: string, body: WireReader): Appended => {
  const partition = body.int32();
  const batches = splitBatches(body.bytes());
  const log = topics.log(topic, partition);
  const refused = (error: number): Appended => ({ partition, error, baseOffset: none, startOffset: none });
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
      answer.int32(partition).int16(error).int64(baseOffset).int64(none); // no log append time
      if (version >= startOffsetSince) answer.int64(startOffset);
    });
    return answer.int32(noThrottleMs);
  },
};
