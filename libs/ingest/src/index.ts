export { noIngestMetrics } from './ingest-metrics.js';
export type { IngestMetrics } from './ingest-metrics.js';
export { createIngest, INGEST, IngestModule } from './ingest.module.js';
export type { Ingest, IngestSettings } from './ingest.module.js';
export {
  inspectCommitted,
  inspectGroup,
  inspectOpenTransactions,
  inspectTopics,
  inspectTopicSettings,
  inspectWatermarks,
  tryBroker,
} from './inspection/inspect-kafka.js';
export type { CommittedOffset, InspectedGroup, InspectedTopic, TopicSettings } from './inspection/inspect-kafka.js';
export type { OpenTransaction, PartitionEnds } from './source/kafka/open-transactions.js';
export { kafkaTrouble } from './inspection/kafka-trouble.js';
export type { KafkaTrouble, KafkaTroubleKind } from './inspection/kafka-trouble.js';
export { recordRouter } from './loop/chunk-recorder.js';
export { prepareRecord } from './loop/prepare-record.js';
export type { DeadLetterSink } from './publishing/dead-letters.js';
export { createAuditPublisher } from './publishing/audit.js';
export { createOutcomes } from './publishing/outcomes.js';
export type { OutcomeSink } from './publishing/outcomes.js';
export { TopicProducer } from './publishing/topic-producer.js';
export { KafkaBatchServer } from './source/kafka-batch-server.js';
export { AnswerBudget, decodeRecordSet, takenRecordBytesMax } from './source/kafka/fetch/record-set.js';
export { KafkaClient } from './source/kafka/kafka-client.js';
export { createKafka } from './source/kafka/kafka-connection.js';
export type { KafkaConnection } from './source/kafka/kafka-connection.js';
export { findTopics, withAdmin } from './source/kafka/kafka-facts.js';
export { batchUnpacker } from './source/kafka/unpack-batch.js';
export { partitionKey } from './source/source.js';
export type {
  BatchLease,
  FactsRequest,
  FetchedBatch,
  FetchedRecord,
  Source,
  SourceFacts,
  SourceListener,
  TopicPartition,
  Watermarks,
} from './source/source.js';
