import { SystemClock, type Logger } from '#platform';

const pollMs = 20;
const clock = new SystemClock();

/** Waits until `condition` gives a value that is neither undefined nor false; fails after `timeoutMs`. */
export async function until<T>(
  condition: () => Promise<T> | T,
  timeoutMs = 20_000,
): Promise<Exclude<T, false | undefined>> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value as Exclude<T, false | undefined>;
    if (clock.monotonic() > deadline) throw new Error('the condition was not met in time');
    await clock.sleep(pollMs);
  }
}

type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: Level;
  readonly message: string;
  readonly fields: object;
}

/** A logger that keeps its lines. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: Level) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields });
    };
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}
