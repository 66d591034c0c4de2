import { noThrottleMs, type Api, type BrokerState } from '../api.js';
import { errorCode } from '../error-code.js';
import { isValidTopicName, partitionsDefault } from '../topic-store.js';
import type { WireReader } from '../wire-reader.js';
import { WireWriter } from '../wire-writer.js';

interface NewTopic {
  readonly name: string;
  readonly partitions: number;
}

const byDefault = -1;
const partitionsMax = 1_000;

const readNewTopic = (body: WireReader): NewTopic => {
  const [name, count] = [body.string(), body.int32()];
  body.int16(); // replication factor: there is one node
  const assigned = body.array(() => [body.int32(), body.array(() => body.int32())]);
  body.array(() => [body.string(), body.nullableString()]); // settings: none has an effect here
  const partitions = count === byDefault ? assigned.length || partitionsDefault : count;
  return { name, partitions };
};

const creationError = ({ topics }: BrokerState, { name, partitions }: NewTopic): number => {
  if (!isValidTopicName(name)) return errorCode.invalidTopic;
  if (topics.partitions(name) !== undefined) return errorCode.topicAlreadyExists;
  return partitions < 1 || partitions > partitionsMax ? errorCode.invalidPartitions : errorCode.none;
};

export const createTopics: Api = {
  key: 19,
  versions: [2, 2],
  handle: ({ body }, broker) => {
    const wanted = body.array(() => readNewTopic(body));
    body.int32(); // timeout
    const onlyValidate = body.boolean();
    const answer = new WireWriter().int32(noThrottleMs);
    return answer.array(wanted, (topic) => {
      const error = creationError(broker, topic);
      if (error === errorCode.none && !onlyValidate) broker.topics.create(topic.name, topic.partitions);
      answer.string(topic.name).int16(error).string(null);
    });
  },
};

export const deleteTopics: Api = {
  key: 20,
  versions: [1, 1],
  handle: ({ body }, { topics }) => {
    const names = body.array(() => body.string());
    const answer = new WireWriter().int32(noThrottleMs);
    answer.array(names, (name) =>
      answer.string(name).int16(topics.delete(name) ? errorCode.none : errorCode.unknownTopicOrPartition),
    );
    topics.ring();
    return answer;
  },
};

/** Nothing can be set, so nothing is listed. */
export const describeConfigs: Api = {
  key: 32,
  versions: [1, 1],
  handle: ({ body }) => {
    const resources = body.array(() => {
      const resource = { type: body.int8(), name: body.string() };
      body.nullableArray(() => body.string());
      return resource;
    });
    const answer = new WireWriter().int32(noThrottleMs);
    return answer.array(resources, ({ type, name }) =>
      answer.int16(errorCode.none).string(null).int8(type).string(name).int32(0),
    );
  },
};
