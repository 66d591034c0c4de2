import type { LoggerService } from '@nestjs/common';

/** Nest's warnings and errors as JSON lines on stderr: stdout belongs to the one line that says ready. */
export class StderrLogger implements LoggerService {
  static write(level: string, message: unknown): void {
    const text = message instanceof Error ? (message.stack ?? message.message) : message;
    process.stderr.write(`${JSON.stringify({ level, time: new Date().toISOString(), message: text })}\n`);
  }

  log(): void {
    // Routes mapped, modules initialised: not wanted in the log.
  }

  warn(message: unknown): void {
    StderrLogger.write('warn', message);
  }

  error(message: unknown): void {
    StderrLogger.write('error', message);
  }

  fatal(message: unknown): void {
    StderrLogger.write('fatal', message);
  }
}
