import type { IngestMetrics } from '../ingest-metrics.js';
import type { Logger } from '#platform';

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: object;
}

/** A logger that keeps its lines. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields });
    };
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

export interface RecordingMetrics {
  readonly metrics: IngestMetrics;
  /** By result, by `quarantine:REASON`, `key:KEY`, and `gap`. */
  readonly counts: Map<string, number>;
}

/** Metrics that keep their counts. */
export function recordingMetrics(): RecordingMetrics {
  const counts = new Map<string, number>();
  const add = (name: string, count: number): void => {
    counts.set(name, (counts.get(name) ?? 0) + count);
  };
  return {
    counts,
    metrics: {
      eventsIngested: (_topic, result, count) => {
        add(result, count);
      },
      quarantined: (reason, count) => {
        add(`quarantine:${reason}`, count);
      },
      recordKeys: (_topic, key, count) => {
        add(`key:${key}`, count);
      },
      consumerLag: () => undefined,
      sourceGap: () => {
        add('gap', 1);
      },
    },
  };
}
