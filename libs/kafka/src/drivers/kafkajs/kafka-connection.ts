import kafkajs from 'kafkajs';
import type { Kafka, KafkaConfig, logCreator, LogEntry, SASLOptions } from 'kafkajs';
import { errorFields, type LogFields, type Logger } from '#platform';
import type { KafkaConnection, KafkaLogin } from '../../driver.js';
import { bearerLogin } from './bearer-login.js';
import { disconnectedText, KafkaClient, withAddresses } from './kafka-client.js';

/**
 * A failure of Kafka as log fields. KafkaJS' own messages speak of brokers, groups and topics; what it only passes on
 * may quote what it failed on.
 */
export function kafkaErrorFields(error: unknown): LogFields {
  const isPassedOn = error instanceof Error && error.cause instanceof Error && !isKafkas(error.cause);
  return isKafkas(error) && !isPassedOn ? { error: error.message } : errorFields(error);
}

function isKafkas(error: unknown): error is Error {
  return error instanceof kafkajs.KafkaJSError;
}

type Level = Exclude<keyof Logger, 'isLevelEnabled'>;

const levels = new Map<number, Level>([
  [kafkajs.logLevel.ERROR, 'error'],
  [kafkajs.logLevel.WARN, 'warn'],
  [kafkajs.logLevel.INFO, 'info'],
]);

/**
 * What every deployment and every scaling brings; KafkaJS calls some of it errors. A hint of an offset may come from the
 * generation before (seen in `npm run drill -- soak`, once or twice in a rolling restart): the database knows the offset.
 */
const ordinary = new RegExp(
  `rebalanc|rejoin|not aware of this member|generation id is not valid|consumer not running|${disconnectedText}|^(?:Pausing|Resuming) fetching`,
  'i',
);

function levelOf({ level, log }: LogEntry): Level {
  const error: unknown = log['error'];
  const text = `${log.message} ${typeof error === 'string' ? error : ''}`;
  return ordinary.test(text) ? 'debug' : (levels.get(level) ?? 'debug');
}

/** KafkaJS' log lines through ours. Records never appear in them; its error objects are reduced to name, code and frames. */
export function kafkaLogCreator(logger: Logger): logCreator {
  return () => (entry) => {
    const {
      message,
      timestamp: _timestamp,
      logger: _logger,
      stack: _stack,
      ...rest
    } = entry.log as Record<string, unknown>;
    const { error } = rest;
    const { broker } = rest;
    const fields = {
      ...rest,
      ...(typeof broker === 'string' && { broker: withAddresses(broker) }),
      ...(error instanceof Error ? kafkaErrorFields(error) : {}),
      namespace: entry.namespace,
    };
    logger[levelOf(entry)](fields, `kafka: ${String(message)}`);
  };
}

function loginOf(login: KafkaLogin): NonNullable<KafkaConfig['sasl']> {
  return login.mechanism === 'oauthbearer' ? bearerLogin(login) : (login as SASLOptions);
}

/**
 * The connection in KafkaJS' words. It reads TLS and login again for each connection that it makes by itself (`socketFactory.js`
 * and `saslAuthenticator`, 2.2.4): they are passed on as they are, so that their accessors are asked each time.
 */
export function kafkaJsConfig({ brokers, clientId, ssl, sasl, socketFactory }: KafkaConnection): KafkaConfig {
  return {
    brokers: [...brokers],
    ...(clientId === undefined ? {} : { clientId }),
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl: loginOf(sasl) }),
    ...(socketFactory === undefined ? {} : { socketFactory }),
  };
}

/** Time for TCP and TLS to a broker. */
const connectTimeoutMs = 5_000;
const requestTimeoutMs = 30_000;
/** Retries inside KafkaJS; beyond them our own loops decide. */
const clientRetriesMax = 5;
const clientRetryMsMin = 100;
const clientRetryMsMax = 3_000;

/** A client with our limits and log. Made anew for each connection, so that renewed secrets are used. */
export function createKafka(connection: KafkaConnection, logger: Logger): Kafka {
  return new KafkaClient({
    ...kafkaJsConfig(connection),
    connectionTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { retries: clientRetriesMax, initialRetryTime: clientRetryMsMin, maxRetryTime: clientRetryMsMax },
    logLevel: kafkajs.logLevel.INFO,
    logCreator: kafkaLogCreator(logger),
  });
}
