import { nodeId, noThrottleMs, type Api, type BrokerState } from './api.js';
import { isValidTopicName, partitionsDefault } from './topic-store.js';
import { errorCode, WireWriter, type WireReader } from './wire.js';

const clusterIdSince = 2;
const throttleSince = 3;
const autoCreationFlagSince = 4;

const topicError = ({ topics }: BrokerState, topic: string): number => {
  if (!isValidTopicName(topic)) return errorCode.invalidTopic;
  return topics.partitions(topic) === undefined ? errorCode.unknownTopicOrPartition : errorCode.none;
};

const leaderOf = ({ nodes }: BrokerState, partition: number): number => nodes[partition % nodes.length]?.id ?? nodeId;

const writeTopic = (answer: WireWriter, broker: BrokerState, topic: string): void => {
  const partitions = [...(broker.topics.partitions(topic) ?? []).keys()];
  answer.int16(topicError(broker, topic)).string(topic).boolean(false);
  answer.array(partitions, (partition) =>
    answer
      .int16(errorCode.none)
      .int32(partition)
      .int32(leaderOf(broker, partition))
      .array([leaderOf(broker, partition)], (replica) => answer.int32(replica))
      .array([leaderOf(broker, partition)], (replica) => answer.int32(replica)),
  );
};

/** Topics that are asked for by name appear, unless the client asks us not to. */
export const metadata: Api = {
  key: 3,
  versions: [1, 4],
  handle: ({ version, body }, broker) => {
    const wanted = body.nullableArray(() => body.string());
    const mayCreate = version < autoCreationFlagSince || body.boolean();
    if (mayCreate) for (const topic of wanted ?? []) broker.topics.provide(topic);
    const answer = new WireWriter();
    if (version >= throttleSince) answer.int32(noThrottleMs);
    answer.array(broker.nodes, ({ id, port }) => answer.int32(id).string(broker.host).int32(port).string(null));
    if (version >= clusterIdSince) answer.string(broker.clusterId);
    answer.int32(nodeId); // controller
    return answer.array(wanted ?? broker.topics.names(), (topic) => {
      writeTopic(answer, broker, topic);
    });
  },
};

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
