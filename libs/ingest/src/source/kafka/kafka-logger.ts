import kafkajs from 'kafkajs';
import type { LogEntry, logCreator } from 'kafkajs';

import type { Logger } from '#platform';

import { kafkaErrorFields } from './kafka-error-fields.js';

type Level = keyof Logger;

const levels = new Map<number, Level>([
  [kafkajs.logLevel.ERROR, 'error'],
  [kafkajs.logLevel.WARN, 'warn'],
  [kafkajs.logLevel.INFO, 'info'],
]);

/**
 * What every deployment and every scaling brings; KafkaJS calls some of it errors. A hint of an offset may come from the
 * generation before (seen in `npm run soak`, once or twice in a rolling restart): the database knows the offset.
 */
const ordinary =
  /rebalanc|rejoin|not aware of this member|generation id is not valid|consumer not running|^(?:Pausing|Resuming) fetching/i;

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
    const fields = { ...rest, ...(error instanceof Error ? kafkaErrorFields(error) : {}), namespace: entry.namespace };
    logger[levelOf(entry)](fields, `kafka: ${String(message)}`);
  };
}
