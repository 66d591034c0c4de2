import type { LoggerService } from '@nestjs/common';
import { destination, pino } from 'pino';
import { stackOf, SafeError } from './errors.js';

/** Structured fields of a log line. Never a secret, never a personal value: members appear as a short keyed hash. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What the libraries log through. One wide line per thing that happened. */
export abstract class Logger {
  abstract debug(fields: LogFields, message: string): void;
  abstract info(fields: LogFields, message: string): void;
  abstract warn(fields: LogFields, message: string): void;
  abstract error(fields: LogFields, message: string): void;
  /** Whether lines of a level are written; absent: all are. Asked before what is costly to put together. */
  isLevelEnabled?(level: 'info'): boolean;
}

/** `LOG_LEVEL` of contracts.md section 3. */
type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Names under which a secret could slip into a line. */
const secretNames: ReadonlySet<string> = new Set(['password', 'secret', 'token', 'authorization']);
const censor = '[secret]';

/**
 * The fields without the values that stand under such a name, and in objects that are fields. pino's own `redact` looks for each
 * path anew, which took half of the time of a line.
 */
export function withoutSecrets(fields: LogFields): Record<string, unknown> {
  let shown = fields;
  for (const [name, value] of Object.entries(fields)) {
    const told = secretNames.has(name) ? censor : withoutInnerSecrets(value);
    if (told !== value) shown = { ...shown, [name]: told };
  }
  return shown;
}

function withoutInnerSecrets(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).filter((name) => secretNames.has(name));
  return names.length === 0 ? value : { ...value, ...Object.fromEntries(names.map((name) => [name, censor])) };
}

/** A write of at most so many bytes to a pipe is never mixed with another process's (Linux: PIPE_BUF, pipe(7)). */
export const wholeWriteBytesMax = 4_096;

/** pino tells the level of each line to a destination that has this property (pino's API, "Destination"). */
const wantsLevel = Symbol.for('pino.metadata');
/** pino's number for `warn`. */
const warnLevel = 40;

/**
 * Lines of one turn of the event loop leave together, a warning or an error at once and whatever came before it with it: a write
 * for each line cost a tenth of a busy process. What is left at the end of the process leaves then.
 */
export class LogWriter {
  readonly [wantsLevel] = true;
  /** Set by pino before each line. */
  lastLevel = 0;
  private lines = '';
  private bytes = 0;

  constructor(
    /** Writes at once. */
    private readonly sink: { write(text: string): unknown },
    private readonly soon: (task: () => void) => void = setImmediate,
  ) {
    flushAtExit(this);
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.bytes + bytes > wholeWriteBytesMax) this.flush();
    const isFirst = this.bytes === 0;
    this.lines += line;
    this.bytes += bytes;
    if (this.lastLevel >= warnLevel) this.flush();
    else if (isFirst) this.soon(() => this.flush());
  }

  flush(): void {
    const { lines } = this;
    this.lines = '';
    this.bytes = 0;
    if (lines !== '') this.sink.write(lines);
  }
}

const writers = new Set<LogWriter>();

/** One listener for all writers of the process. */
function flushAtExit(writer: LogWriter): void {
  if (writers.size === 0) {
    process.on('exit', () => {
      for (const each of writers) each.flush();
    });
  }
  writers.add(writer);
}

interface LoggerOptions {
  readonly level: LogLevel;
  readonly service: string;
}

/** JSON lines on standard error: standard output belongs to the one line that says ready, and to commands. */
export function createLogger({ level, ...base }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
    },
    new LogWriter(destination({ dest: 2, sync: true })),
  );
}

/**
 * What V8 says of a defect in words of the code alone. Its other texts quote: `Cannot use 'in' operator to search for
 * 'x' in ada@example.org`, `Cannot create property 'x' on string 'Ada'`, Node's `Received 'Ada'`; and a property that was
 * read may have been named by data.
 */
const defectText =
  /^(?:Cannot (?:read|set) properties of (?:undefined|null)|[\w$.()]+ is not (?:a function|a constructor|defined))/;

function detailOf(error: Error): string | undefined {
  if (error instanceof SafeError) return error.message;
  const isDefect = error instanceof TypeError || error instanceof ReferenceError;
  return isDefect ? defectText.exec(error.message)?.[0] : undefined;
}

/** Constants of code that libraries put into their errors, and nothing that could be a value. */
function constantOf(error: Error, name: 'code' | 'type'): string | number | undefined {
  const value: unknown = Reflect.get(error, name);
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined;
}

function describe(error: Error): Readonly<Record<string, unknown>> {
  const [code, type] = [constantOf(error, 'code'), constantOf(error, 'type')];
  const detail = detailOf(error);
  return {
    error: error.name,
    code,
    ...(type === undefined ? {} : { type }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** An error as log fields: name, code, stack frames; the message only where it cannot quote data. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const cause = error.cause instanceof Error ? { cause: describe(error.cause) } : {};
  return { ...describe(error), ...cause, stack: stackOf(error).join('\n') };
}

/** Nest passes the context last: the name of a class. A stack may stand in its place, and it begins with a message. */
function contextOf(rest: readonly unknown[]): { readonly context?: string } {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? { context: last } : {};
}

/** Nest's own messages as structured lines; its start-up chatter goes to debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  /** Nest passes errors themselves, too: theirs is any message, which may quote data. */
  private write(level: 'debug' | 'warn' | 'error', message: unknown, rest: readonly unknown[]): void {
    if (message instanceof Error) this.logger[level]({ ...contextOf(rest), ...errorFields(message) }, 'Nest: an error');
    else this.logger[level](contextOf(rest), String(message));
  }
}
