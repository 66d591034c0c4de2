import { describeDriver } from '../testing/describe-driver.js';
import { KafkaJsDriver } from './kafkajs/kafkajs-driver.js';

describeDriver('KafkaJS', () => new KafkaJsDriver());
