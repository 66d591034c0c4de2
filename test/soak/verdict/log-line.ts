/** A line that a process wrote. */
export interface LogLine {
  readonly process: string;
  /** Epoch milliseconds; null where it does not say. */
  readonly at: number | null;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly raw: string;
}

/** What the slots write between two lives. */
const separator = /^--- process \d+, ended by /;

function parse(raw: string): Readonly<Record<string, unknown>> | null {
  if (!raw.startsWith('{')) return null;
  try {
    return JSON.parse(raw) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function lineOf(process: string, raw: string): LogLine | null {
  const fields = parse(raw);
  // Nobody foresaw it: a stack of the runtime, a warning of Node.
  if (fields === null) return { process, at: null, level: 'unreadable', message: raw, fields: {}, raw };
  if (fields['ready'] === true) return null;
  const at = Date.parse(String(fields['time']));
  return {
    process,
    at: Number.isNaN(at) ? null : at,
    level: String(fields['level']),
    message: String(fields['msg'] ?? fields['message']),
    fields,
    raw,
  };
}

/** The lines of a log, without what says that a process is ready, or has ended. */
export function readLines(process: string, text: string): LogLine[] {
  const raw = text.split('\n').filter((line) => line.trim() !== '' && !separator.test(line));
  return raw.flatMap((line) => lineOf(process, line) ?? []);
}
