/** Structured fields of a log line. Never a secret, never a personal value: members appear as a short keyed hash. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What the libraries log through. One wide line per thing that happened. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
