import { destination, pino } from 'pino';

import type { Logger } from './logger.js';

/** `LOG_LEVEL` of contracts.md section 3. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Names under which a secret could slip into a line; the values are cut out wherever they stand. */
const secretPaths = [
  'password',
  'secret',
  'token',
  'authorization',
  '*.password',
  '*.secret',
  '*.token',
  '*.authorization',
];

/** JSON lines on standard error: standard output belongs to the one line that says ready, and to commands. */
export function createLogger(options: { readonly level: LogLevel; readonly service: string }): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[secret]' },
    },
    destination({ dest: 2, sync: true }),
  );
}

/** An error as log fields: name, code and message of ours; of foreign errors never the message, which may quote data. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const cause = error.cause instanceof Error ? { cause: error.cause.name, causeCode: codeOf(error.cause) } : {};
  return { error: error.name, code: codeOf(error), detail: error.message, stack: error.stack, ...cause };
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}
