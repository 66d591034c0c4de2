import type { LoggerService } from '@nestjs/common';

import type { Logger } from './logger.js';

function contextOf(rest: readonly unknown[]): { readonly context: unknown } {
  return { context: rest.at(-1) };
}

/** Nest's own messages as structured lines; its start-up chatter goes to debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(contextOf(rest), String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(contextOf(rest), String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(contextOf(rest), String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(contextOf(rest), String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error(contextOf(rest), String(message));
  }
}
