import { clusterId, nodeId, noThrottleMs, type Api, type BrokerState } from '../api.js';
import { errorCode } from '../error-code.js';
import { isValidTopicName } from '../topic-store.js';
import { WireWriter } from '../wire-writer.js';

const clusterIdSince = 2;
const throttleSince = 3;
const autoCreationFlagSince = 4;
const replicas = [nodeId];

const topicError = ({ topics }: BrokerState, topic: string): number => {
  if (!isValidTopicName(topic)) return errorCode.invalidTopic;
  return topics.partitions(topic) === undefined ? errorCode.unknownTopicOrPartition : errorCode.none;
};

const writeTopic = (answer: WireWriter, broker: BrokerState, topic: string): void => {
  const partitions = [...(broker.topics.partitions(topic) ?? []).keys()];
  answer.int16(topicError(broker, topic)).string(topic).boolean(false);
  answer.array(partitions, (partition) =>
    answer
      .int16(errorCode.none)
      .int32(partition)
      .int32(nodeId)
      .array(replicas, (replica) => answer.int32(replica))
      .array(replicas, (replica) => answer.int32(replica)),
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
    answer.array([broker], ({ host, port }) => answer.int32(nodeId).string(host).int32(port).string(null));
    if (version >= clusterIdSince) answer.string(clusterId);
    answer.int32(nodeId); // controller
    return answer.array(wanted ?? broker.topics.names(), (topic) => {
      writeTopic(answer, broker, topic);
    });
  },
};
