export { createIngest } from './create-ingest.js';
export type { Ingest } from './create-ingest.js';
export type { DeadLetterSink } from './dead-letters/dead-letters.js';
export { noIngestMetrics } from './ingest-metrics.js';
export type { IngestMetrics } from './ingest-metrics.js';
export type { IngestSettings } from './ingest-settings.js';
export { INGEST, IngestModule } from './ingest.module.js';
export {
  inspectCommitted,
  inspectGroup,
  inspectTopics,
  inspectTopicSettings,
  inspectWatermarks,
  tryBroker,
} from './inspection/inspect-kafka.js';
export type { CommittedOffset, InspectedGroup, InspectedTopic, TopicSettings } from './inspection/inspect-kafka.js';
export { kafkaTrouble } from './inspection/kafka-trouble.js';
export type { KafkaTrouble, KafkaTroubleKind } from './inspection/kafka-trouble.js';
export { recordRouter } from './loop/chunk-recorder.js';
export { createOutcomes } from './outcomes/outcomes.js';
export type { OutcomeSink } from './outcomes/outcomes.js';
export { prepareRecord } from './prepare/prepare-record.js';
export { TopicProducer } from './producing/topic-producer.js';
export { createKafka, silenceTimeoutWarning } from './source/kafka/kafka-connection.js';
export type { KafkaConnection } from './source/kafka/kafka-connection.js';
export { findTopics, withAdmin } from './source/kafka/kafka-facts.js';
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
export { KafkaBatchServer } from './transport/kafka-batch-server.js';
