import { destination, pino } from 'pino';

import { ToldError } from '../errors/told-error.js';
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

const stackFrameStart = '    at ';

/** Defects name properties and functions of the code, never data. */
function mayBeTold(error: Error): boolean {
  return error instanceof ToldError || error instanceof TypeError || error instanceof ReferenceError;
}

function describe(error: Error): Readonly<Record<string, unknown>> {
  const code: unknown = 'code' in error ? error.code : undefined;
  return { error: error.name, code, ...(mayBeTold(error) ? { detail: error.message } : {}) };
}

/** An error as log fields: name, code, stack frames; the message only where it cannot quote data. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith(stackFrameStart));
  const cause = error.cause instanceof Error ? { cause: describe(error.cause) } : {};
  return { ...describe(error), ...cause, stack: frames.join('\n') };
}
