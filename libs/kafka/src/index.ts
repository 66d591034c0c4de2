export { partitionKey } from './driver.js';
export type {
  BatchLease,
  FactsRequest,
  FetchedBatch,
  FetchedRecord,
  SkippedRange,
  Source,
  SourceFacts,
  SourceListener,
  TopicPartition,
  UndecodedBatch,
  Watermarks,
} from './driver.js';
export {
  inspectCommitted,
  inspectGroup,
  inspectOpenTransactions,
  inspectTopics,
  inspectTopicSettings,
  inspectWatermarks,
  tryBroker,
} from './drivers/kafkajs/inspect-kafka.js';
export type {
  CommittedOffset,
  InspectedGroup,
  InspectedTopic,
  TopicSettings,
} from './drivers/kafkajs/inspect-kafka.js';
export { KafkaClient } from './drivers/kafkajs/kafka-client.js';
export { createKafka, installationName } from './drivers/kafkajs/kafka-connection.js';
export type { KafkaConnection } from './drivers/kafkajs/kafka-connection.js';
export { findTopics, withAdmin } from './drivers/kafkajs/kafka-facts.js';
export { KafkaSource } from './drivers/kafkajs/kafka-source.js';
export { kafkaTrouble } from './drivers/kafkajs/kafka-trouble.js';
export type { KafkaTrouble, KafkaTroubleKind } from './drivers/kafkajs/kafka-trouble.js';
export type { OpenTransaction, PartitionEnds } from './drivers/kafkajs/open-transactions.js';
export type { KafkaRecord } from './records/record-reader.js';
export { AnswerBudget, decodeRecordSet, pieceLimits, takenRecordBytesMax } from './records/record-set.js';
export { isTooLarge, TopicProducer } from './topic-producer.js';
export type { TopicProducerSettings } from './topic-producer.js';
