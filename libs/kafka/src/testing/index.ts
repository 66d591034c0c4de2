export { partitionsConcurrentMax } from '../drivers/kafkajs/consumer-life.js';
export { countLeaders, withAdmin } from '../drivers/kafkajs/kafka-facts.js';
export { decompress } from '../records/decompress.js';
export { batchBytes, brokerLine, TcpProxy, TopicReader } from './kafka.js';
export type { BrokerLine, ReadMessage } from './kafka.js';
export { recordingLogger, until } from './recording.js';
export type { LogLine } from './recording.js';
