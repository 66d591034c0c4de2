import type { LoggerService } from '@nestjs/common';

import type { Logger } from './logger.js';
import { errorFields } from './pino-logger.js';

/** Nest passes the context last: the name of a class. A stack may stand in its place, and it begins with a message. */
function contextOf(rest: readonly unknown[]): { readonly context?: string } {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? { context: last } : {};
}

/** Nest's own messages as structured lines; its start-up chatter goes to debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.tell('debug', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.tell('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.tell('debug', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.tell('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.tell('error', message, rest);
  }

  /** Nest passes errors themselves, too: theirs is any message, which may quote data. */
  private tell(level: 'debug' | 'warn' | 'error', message: unknown, rest: readonly unknown[]): void {
    if (message instanceof Error) this.logger[level]({ ...contextOf(rest), ...errorFields(message) }, 'Nest: an error');
    else this.logger[level](contextOf(rest), String(message));
  }
}
