import type { Registry } from 'prom-client';

import type { SharedDecompression } from '#ingest';
import type { ProcessFigures } from '#intents';

import type { DialectFile } from '../environment/configuration.module.js';
import type { FileTexts } from '../environment/live-environment.js';

/** The metrics of a registry, as they travel between threads. */
export type ScrapedMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What a worker starts with: everything that the main thread has read and judged. */
export interface WorkerStart {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly texts: FileTexts;
  readonly dialectFile: DialectFile | null;
  readonly programsText: string;
}

export type ToWorker =
  | { readonly type: 'start'; readonly start: WorkerStart }
  | { readonly type: 'drain'; readonly reason: string }
  | { readonly type: 'files'; readonly texts: FileTexts }
  | { readonly type: 'programs'; readonly text: string }
  | { readonly type: 'wake' }
  | { readonly type: 'check' }
  | { readonly type: 'scrape' };

export type FromWorker =
  | { readonly type: 'started' }
  | {
      readonly type: 'checked';
      /** As the liveness probe tells them. */
      readonly problems: readonly string[];
      readonly figures: ProcessFigures;
    }
  | { readonly type: 'scraped'; readonly metrics: ScrapedMetrics };

/** What a worker knows before it starts. */
export interface WorkerSeat {
  /** From 1. */
  readonly number: number;
  /** Where V8's compiled code of our modules lies; absent: nowhere. */
  readonly compileCache: string | undefined;
  /** What it decompresses within, beside the others. */
  readonly decompression: SharedDecompression;
}
