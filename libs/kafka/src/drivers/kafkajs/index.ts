/** The driver's own door, for tests: a client of KafkaJS that leaves no timer and no socket behind. */
export { KafkaClient } from './kafka-client.js';
