export { BatchConsumer, kafkaBatchTransport, KafkaBatchServer } from './batch-server.js';
export type { BatchDelivery, PositionKeeper } from './batch-server.js';
export { installationName, isTooLarge, KafkaDriver, kafkaProblem, partitionKey } from './driver.js';
export type {
  Admin,
  BatchLease,
  CommittedOffset,
  ConsumerSettings,
  ConsumerTools,
  FactsRequest,
  FetchedBatch,
  FetchedRecord,
  FurtherTopics,
  InspectedGroup,
  InspectedTopic,
  KafkaConnection,
  KafkaLogin,
  KafkaProblem,
  KafkaProblemKind,
  OpenTransaction,
  OutgoingHeaders,
  OutgoingRecord,
  ReadRights,
  PartitionEnds,
  Producer,
  SkippedRange,
  Source,
  SourceFacts,
  SourceListener,
  TopicPartition,
  TopicSettings,
  UndecodedBatch,
  Watermarks,
} from './driver.js';
export { createKafkaDriver, KafkaModule } from './kafka.module.js';
export { readRanges } from './read-ranges.js';
export type { TopicRange } from './read-ranges.js';
export { shareShards, unreadReasons } from './share-shards.js';
export type { ShardClaim, UnreadPartition } from './share-shards.js';
export { AnswerBudget, decodeRecordSet, takenRecordBytesMax } from './records/record-set.js';
export { recordsOf } from './records/stored-batch.js';
export { TopicProducer } from './topic-producer.js';
export type { TopicProducerSettings } from './topic-producer.js';
